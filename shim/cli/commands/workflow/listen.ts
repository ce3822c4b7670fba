import { serverSentEvents } from '../../client/server-sent-events.ts';
import type { CommandCall } from '../command.ts';
import { writeJson } from '../write-json.ts';
import { pathOf, type WorkflowAnswer } from './workflow-api.ts';

interface WorkflowEvent {
  type: string;
  data: {
    executionId?: string;
    nodeName?: string;
    messages?: string[];
    status?: string;
    error?: { message: string };
    data?: { executionStatus: string; executionTime: number; error?: { message: string }; data?: unknown };
  };
}

/**
 * Waits for one call of the test URL and shows its execution. Ends with that execution. Rejects if no call
 * comes.
 */
export async function listen(call: CommandCall, workflow: WorkflowAnswer): Promise<void> {
  const { client, io, args } = call;
  // The events are opened before the server starts to listen, so that none is missed.
  const left = new AbortController();
  const events = await client
    .withSignal(left.signal)
    .request('GET', `/api/v1/events?workflowId=${encodeURIComponent(workflow.id)}`);
  const path = `${pathOf(workflow)}/listen`;
  let run: string | undefined;
  try {
    for await (const text of serverSentEvents(events.body!)) {
      const event = JSON.parse(text) as WorkflowEvent;
      if (event.type === 'hello') {
        const { data } = await client.post<{ data: { methods: string[]; url: string }[] }>(path);
        for (const { methods, url } of data) io.err.write(`listening: ${methods.join(', ')} ${url}\n`);
        io.err.write('waiting for one call, at most two minutes\n');
      } else if (event.type === 'testWebhookReceived') {
        run = event.data.executionId;
      } else if (event.type === 'testWebhookDeleted' && run === undefined) {
        throw new Error('no call came');
      } else if (args.options.json && event.type === 'nodeExecuteAfter') {
        writeJson(io.out, event.data);
      } else if (!args.options.json) {
        io.out.write(lineOf(event));
      }
      if (event.type === 'executionFinished') {
        if (event.data.status === 'success') return;
        throw new Error(event.data.error?.message ?? `the run ended with "${event.data.status}"`);
      }
    }
    throw new Error('the server closed the connection');
  } finally {
    left.abort();
    if (run === undefined) await stopListening(call, path);
  }
}

/** After Ctrl+C: closes the test URL. */
async function stopListening({ connection }: CommandCall, path: string): Promise<void> {
  const init = { method: 'DELETE', signal: AbortSignal.timeout(2000) };
  await connection.send(path, init).catch(() => undefined);
}

function lineOf({ type, data }: WorkflowEvent): string {
  if (type === 'sendConsoleMessage') return (data.messages ?? []).map((line) => `  ${line}\n`).join('');
  if (type === 'executionStarted') return `run ${data.executionId}\n`;
  if (type !== 'nodeExecuteAfter' || !data.data) return '';
  const { executionStatus, executionTime, error } = data.data;
  const outcome = error ? `${executionStatus}: ${error.message}` : executionStatus;
  const main = (data.data.data as { main?: ({ json: unknown }[] | null)[] } | undefined)?.main ?? [];
  const items = main.flatMap((output) => output ?? []).map(({ json }) => `  ${JSON.stringify(json)}\n`);
  return `${data.nodeName}: ${outcome} (${executionTime} ms)\n${items.join('')}`;
}
