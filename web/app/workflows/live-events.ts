import type { ServerEvent } from './api-types.ts';
import type { WorkflowClient } from './workflow-client.ts';

/** Milliseconds until a connection that broke off is tried again. */
const RECONNECT_DELAY = 1000;

/**
 * Hears what happens on the server and tells it. `onOpen` comes each time when nothing is missed from then on: what is
 * shown should be asked for again.
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
      // Told below: the reason is of no use to a person, and it is tried again.
    }
    if (signal.aborted) return;
    handlers.onLost();
    await sleep(RECONNECT_DELAY);
  }
}
