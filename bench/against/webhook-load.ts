/** The workflows of the bench on each side, and calls of their webhooks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadHttp } from '../http-load.ts';
import { startOwnSide } from '../sides/own-side.ts';
import { type Side, SideError } from '../sides/side.ts';
import { WEBHOOK_BODY, type WebhookMode } from '../webhook-modes.ts';
import { publishWorkflows } from './bench-workflows.ts';

/** Milliseconds after a load, in which a server ends the executions that it answered before their end. */
const REST = 1000;

/** Calls a webhook for some seconds. @throws SideError */
export type WebhookLoad = (
  mode: WebhookMode,
  connections: number,
  seconds: number,
) => Promise<{
  /** Requests a second. */
  rate: number;
  /** Milliseconds. */
  p99: number;
}>;

export interface OpenWebhooks {
  load: WebhookLoad;
  close(): Promise<void>;
}

/** Starts tabd and publishes the workflows. `run`: a part of their addresses. */
export async function openOwnWebhooks(signal: AbortSignal, run: string): Promise<OpenWebhooks> {
  const own = await startOwnSide('webhooks', signal);
  try {
    const { load } = await openPeerWebhooks(own, run);
    return { load, close: own.stop };
  } catch (error) {
    await own.stop();
    throw error;
  }
}

/** Publishes the workflows; `close` removes them. @throws SideError */
export async function openPeerWebhooks(side: Side, run: string): Promise<OpenWebhooks> {
  const { pathOf, remove } = await publishWorkflows(side, run);
  const load: WebhookLoad = async (mode, connections, seconds) => {
    try {
      const result = await loadHttp({
        url: side.origin + pathOf(mode),
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: WEBHOOK_BODY,
        connections,
        how: { duration: seconds },
        signal: side.signal,
      });
      await sleep(REST, undefined, { signal: side.signal });
      // A latency below a millisecond is counted as none, which would be no divisor.
      return { rate: result.requests.total / result.duration, p99: Math.max(result.latency.p99, 0.5) };
    } catch (error) {
      side.signal.throwIfAborted();
      throw new SideError(side, (error as Error).message, { cause: error });
    }
  };
  return { load, close: remove };
}
