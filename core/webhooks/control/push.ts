/** What happens to workflows and runs, live: server-sent events, for the editor and the command line. */
import type { Clock } from '#core/host';
import { eventStreamResponse } from '#core/http';
import type { EngineEvent } from '../engine/events.ts';
import type { TestEvent } from '../registrations/publishing.ts';
import type { ControlCall } from './call.ts';
import { executionJson } from './executions.ts';

/** `data:` of every event: JSON of this form. */
export interface PushMessage {
  type: string;
  data: Record<string, unknown>;
}

/** Milliseconds of silence after which a comment shows that the connection lives. */
const HEARTBEAT = 15_000;
/** Bytes that may lie unread before the reader is let go: it lost touch, and would have to ask anew anyway. */
const MOST_UNREAD = 8 * 1024 * 1024;

/** `?workflowId=`: only of this one. Begins with a `hello`, after which nothing is missed. */
export async function pushEvents(call: ControlCall): Promise<Response> {
  const { engine, listening, publishing, host, query, signal } = call;
  const only = query.get('workflowId');
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let over = false;
        const ending = [signal, engine.events.ended];
        const write = (text: string) => {
          if (over) return;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) < 0) end();
        };
        const send = (message: PushMessage | undefined) => {
          if (message && (only === null || message.data.workflowId === only))
            write(`data: ${JSON.stringify(message)}\n\n`);
        };
        // Who is live already is no news.
        let told = false;
        const stops = [
          engine.events.subscribe((event) => send(engineMessage(event))),
          listening.subscribe((event) => send(testMessage(event))),
          publishing.subscribe((workflowId, workflow) => {
            if (told)
              send({ type: workflow ? 'workflowActivated' : 'workflowDeactivated', data: { workflowId } });
          }),
          every(host.clock, HEARTBEAT, () => write(': alive\n\n')),
        ];
        told = true;
        end = () => {
          if (over) return;
          over = true;
          for (const stop of stops) stop();
          for (const one of ending) one.removeEventListener('abort', end);
          try {
            controller.close();
          } catch {
            // The reader has cancelled it.
          }
        };
        for (const one of ending) one.addEventListener('abort', end, { once: true });
        write(`data: ${JSON.stringify({ type: 'hello', data: {} })}\n\n`);
        if (ending.some(({ aborted }) => aborted)) end();
      },
      cancel: () => end(),
    },
    { highWaterMark: MOST_UNREAD, size: (chunk) => chunk.byteLength },
  );
  const response = eventStreamResponse(body);
  response.headers.set('cache-control', 'no-cache');
  return response;
}

function every(clock: Clock, milliseconds: number, callback: () => void): () => void {
  let cancel = clock.after(milliseconds, function again() {
    callback();
    cancel = clock.after(milliseconds, again);
  });
  return () => cancel();
}

function engineMessage(event: EngineEvent): PushMessage | undefined {
  switch (event.type) {
    case 'workflowChanged':
      return { type: 'workflowChanged', data: { workflowId: event.workflowId } };
    case 'executionProgress':
      return progressMessage(event);
    default: {
      const { execution } = event;
      const { id: executionId, workflowId, workflowName, mode, status, error } = execution;
      const data = {
        executionId,
        workflowId,
        workflowName,
        mode,
        status,
        execution: executionJson(execution),
      };
      return { type: event.type, data: error ? { ...data, error } : data };
    }
  }
}

function progressMessage({
  executionId,
  workflowId,
  event,
}: Extract<EngineEvent, { type: 'executionProgress' }>): PushMessage {
  const from = { executionId, workflowId, nodeName: event.node };
  if (event.type === 'console') {
    return { type: 'sendConsoleMessage', data: { ...from, messages: [event.line] } };
  }
  const type = event.type === 'nodeStarted' ? 'nodeExecuteBefore' : 'nodeExecuteAfter';
  return { type, data: { ...from, runIndex: event.runIndex, data: event.task } };
}

function testMessage(event: TestEvent): PushMessage {
  const { workflowId } = event;
  return event.type === 'received'
    ? { type: 'testWebhookReceived', data: { workflowId, executionId: event.executionId } }
    : { type: 'testWebhookDeleted', data: { workflowId } };
}
