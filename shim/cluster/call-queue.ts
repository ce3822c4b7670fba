/**
 * Calls that wait for a worker. A door adds a job for each call. A worker with room takes it and offers itself to the door,
 * which sends the request over their session. The job ends with the response.
 */
import { Deferred } from '#core/base';
import type { ClusterConnection } from './cluster-connection.ts';
import type { JobQueue } from './job-queue.ts';

/** The header by which a worker knows the job of a request. The door sets it; a client's own one is removed. */
export const TICKET_HEADER = 'x-tabd-ticket';

/** The words before a ticket: a worker has room for the call, and the door will not send it. */
const OFFER = 'offer ';
export const DECLINE = 'decline ';

/** The text by which a worker says that it has room for a call. */
export const offerOf = (ticket: string): string => OFFER + ticket;

/** Milliseconds after which a door looks whether a waiting job still exists: Redis may have lost it. */
const CHECK_INTERVAL = 5000;

/** The door's end. */
export class CallQueue {
  readonly #waiting = new Map<string, Deferred<string | undefined>>();

  constructor(
    private readonly cluster: ClusterConnection,
    private readonly queue: JobQueue,
  ) {
    cluster.sockets.onText((text, sender) => {
      if (!text.startsWith(OFFER)) return;
      const ticket = text.slice(OFFER.length);
      const waiting = this.#waiting.get(ticket);
      if (waiting) waiting.resolve(sender);
      else this.decline(sender, ticket);
    });
  }

  /** Frees the place that a worker keeps for a call whose client has left. */
  decline(worker: string, ticket: string): void {
    void this.cluster.sockets.sendText(worker, DECLINE + ticket).catch(() => {});
  }

  /**
   * Waits until a worker takes the call.
   * @returns the worker and the ticket
   * @throws the signal's reason when the client disconnects before
   */
  async take(signal: AbortSignal): Promise<{ worker: string; ticket: string }> {
    signal.throwIfAborted();
    for (;;) {
      const ticket = crypto.randomUUID();
      const worker = await this.#waitFor(ticket, signal);
      if (worker !== undefined) return { worker, ticket };
    }
  }

  /** @returns the worker that takes the job. Undefined: the job is lost, or its worker did not reach this door */
  async #waitFor(ticket: string, signal: AbortSignal): Promise<string | undefined> {
    const worker = new Deferred<string | undefined>();
    this.#waiting.set(ticket, worker);
    const abort = () => worker.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const check = setInterval(async () => {
      const state = await this.queue.bull.getJobState(ticket).catch(() => undefined);
      if (state === 'unknown' || state === 'failed') worker.resolve(undefined);
    }, CHECK_INTERVAL);
    try {
      await this.queue.addCall(ticket, this.cluster.process);
      return await worker.promise;
    } catch (error) {
      // From here on an offer is declined, also while the job is removed.
      this.#waiting.delete(ticket);
      await this.queue.bull.remove(ticket).catch(() => {});
      throw error;
    } finally {
      clearInterval(check);
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(ticket);
    }
  }
}
