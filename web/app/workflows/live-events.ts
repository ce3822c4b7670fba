import type { ServerEvent } from './api-types.ts';
import type { WorkflowClient } from './workflow-client.ts';

/** Milliseconds until a reconnection. */
const RECONNECT_DELAY = 1000;

/**
 * Passes server events to `handlers` and reconnects until `signal` aborts. Events are lost between connections: after
 * each `onOpen` load the shown state again.
 */
export async function followEvents(
  client: Pick<WorkflowClient, 'events'>,
  handlers: { onOpen(): void; onEvent(event: ServerEvent): void; onLost(): void },
  signal: AbortSignal,
  sleep: (milliseconds: number) => Promise<void> = (milliseconds) =>
    new Promise((resolve) => setTimeout(resolve, milliseconds)),
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.events(signal)) {
        if (signal.aborted) return;
        if (event.type === 'hello') handlers.onOpen();
        else handlers.onEvent(event);
      }
    } catch {
      // `onLost` reports it. The cause does not help the user.
    }
    if (signal.aborted) return;
    handlers.onLost();
    await sleep(RECONNECT_DELAY);
  }
}
