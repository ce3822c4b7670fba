/** Changes of workflows and executions as server-sent events, for the editor and the command line. */
import type { Clock } from '#core/host';
import { eventStreamResponse, type RouteCall } from '#core/http';
import type { WorkflowEngineEvent } from '../engine/events.ts';
import type { TestEvent } from '../registrations/test-listeners.ts';
import type { WebhookServices } from '../services.ts';
import { executionJson } from './execution-json.ts';

/** The JSON after `data:` in each event. */
export interface PushMessage {
  type: string;
  data: Record<string, unknown>;
}

/** Milliseconds between two comments, which show that the connection is alive. */
const HEARTBEAT = 15_000;
/** Unread bytes after which the stream ends: the reader is too slow, and has to connect again. */
const MAX_UNREAD = 8 * 1024 * 1024;

/** Begins with the event `hello`: later events are not missed. `?workflowId=` selects one workflow. */
export async function streamEvents(services: WebhookServices, call: RouteCall): Promise<Response> {
  const workflowId = call.url.searchParams.get('workflowId');
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const signals = [call.signal, services.engine.events.ended];
        let isEnded = false;
        let unsubscribe = () => {};
        end = () => {
          if (isEnded) return;
          isEnded = true;
          unsubscribe();
          for (const signal of signals) signal.removeEventListener('abort', end);
          try {
            controller.close();
          } catch {
            // The reader has cancelled the stream.
          }
        };
        const write = (text: string) => {
          if (isEnded) return;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) < 0) end();
        };
        const send = (message: PushMessage) => write(`data: ${JSON.stringify(message)}\n\n`);
        unsubscribe = subscribe(services, {
          heartbeat: () => write(': alive\n\n'),
          send(message) {
            if (workflowId === null || message.data.workflowId === workflowId) send(message);
          },
        });
        for (const signal of signals) signal.addEventListener('abort', end, { once: true });
        send({ type: 'hello', data: {} });
        if (signals.some(({ aborted }) => aborted)) end();
      },
      cancel: () => end(),
    },
    { highWaterMark: MAX_UNREAD, size: (chunk) => chunk.byteLength },
  );
  const response = eventStreamResponse(body);
  response.headers.set('cache-control', 'no-cache');
  return response;
}

/** Returns a function that ends all subscriptions. */
function subscribe(
  { engine, listening, publishing, host }: WebhookServices,
  { send, heartbeat }: { send(message: PushMessage): void; heartbeat(): void },
): () => void {
  // `publishing.subscribe` first reports all published workflows. They are skipped, because they are no changes.
  let isSubscribed = false;
  const subscriptions = [
    engine.events.subscribe((event) => send(engineMessage(event))),
    listening.subscribe((event) => send(testMessage(event))),
    publishing.subscribe((workflowId, workflow) => {
      if (!isSubscribed) return;
      send({ type: workflow ? 'workflowActivated' : 'workflowDeactivated', data: { workflowId } });
    }),
    repeat(host.clock, HEARTBEAT, heartbeat),
  ];
  isSubscribed = true;
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  };
}

/** Returns a function that ends the repetition. */
function repeat(clock: Clock, milliseconds: number, callback: () => void): () => void {
  let cancel = clock.after(milliseconds, function again() {
    callback();
    cancel = clock.after(milliseconds, again);
  });
  return () => cancel();
}

function engineMessage(event: WorkflowEngineEvent): PushMessage {
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
}: Extract<WorkflowEngineEvent, { type: 'executionProgress' }>): PushMessage {
  const origin = { executionId, workflowId, nodeName: event.node };
  if (event.type === 'console') {
    return { type: 'sendConsoleMessage', data: { ...origin, messages: [event.line] } };
  }
  const type = event.type === 'nodeStarted' ? 'nodeExecuteBefore' : 'nodeExecuteAfter';
  return { type, data: { ...origin, runIndex: event.runIndex, data: event.task } };
}

function testMessage(event: TestEvent): PushMessage {
  const { workflowId } = event;
  return event.type === 'received'
    ? { type: 'testWebhookReceived', data: { workflowId, executionId: event.executionId } }
    : { type: 'testWebhookDeleted', data: { workflowId } };
}
