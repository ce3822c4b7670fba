/**
 * The queue of webhook calls. A door adds a job for each call. A worker with room takes it and offers itself to the door,
 * which sends the request over their session. The job ends with the response.
 */
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { Deferred } from '#core/base';
import type { Log } from '#core/host';
import type { ClusterConnection } from './cluster-connection.ts';

export const CALL_QUEUE = 'webhook-calls';
/** The header by which a worker knows the job of a request. The door sets it; a client's own one is removed. */
export const TICKET_HEADER = 'x-tabd-ticket';

interface CallJob {
  door: string;
}

/** Milliseconds in which a door must send the request of a job that a worker has taken. */
const OFFER_TIMEOUT = 10_000;
/** Milliseconds after which a door looks whether a waiting job still exists: Redis may have lost it. */
const CHECK_INTERVAL = 5000;
/** Failed jobs that stay for people to look at. */
const KEPT_FAILURES = 1000;

/** The door's end. */
export class CallQueue {
  readonly #queue: Queue<CallJob>;
  readonly #waiting = new Map<string, Deferred<string | undefined>>();

  constructor(private readonly cluster: ClusterConnection) {
    this.#queue = new Queue<CallJob>(CALL_QUEUE, { connection: cluster.redis as never, prefix: 'tabd' });
    this.#queue.on('error', () => {});
    cluster.sockets.onText((text, sender) => {
      const [kind, ticket] = text.split(' ');
      if (kind === 'offer') this.#waiting.get(ticket ?? '')?.resolve(sender);
    });
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
      const state = await this.#queue.getJobState(ticket).catch(() => undefined);
      if (state === 'unknown' || state === 'failed') worker.resolve(undefined);
    }, CHECK_INTERVAL);
    try {
      await this.#queue.add(
        'call',
        { door: this.cluster.process },
        { jobId: ticket, removeOnComplete: true, removeOnFail: KEPT_FAILURES },
      );
      return await worker.promise;
    } catch (error) {
      await this.#queue.remove(ticket).catch(() => {});
      throw error;
    } finally {
      clearInterval(check);
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(ticket);
    }
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

/** The worker's end. */
export class CallWorker {
  readonly #worker: Worker<CallJob>;
  readonly #offered = new Map<string, { started: Deferred<void>; ended: Deferred<void> }>();

  /** @param concurrency calls at the same time */
  constructor(
    private readonly cluster: ClusterConnection,
    concurrency: number,
    log: Log,
  ) {
    this.#worker = new Worker<CallJob>(CALL_QUEUE, (job) => this.#offer(job.id!, job.data.door), {
      connection: cluster.duplicate() as never,
      prefix: 'tabd',
      concurrency,
      // A call whose worker died has failed: the door answers 503, and the run has a rule of its own.
      maxStalledCount: 0,
    });
    this.#worker.on('error', (error) => log.warn('the queue of calls', { error: String(error) }));
  }

  /** Runs `work`, the answer to the request of this ticket. The job ends with it. */
  async run<T>(ticket: string, work: (ended: () => void) => Promise<T>): Promise<T> {
    const offered = this.#offered.get(ticket);
    offered?.started.resolve();
    try {
      return await work(() => offered?.ended.resolve());
    } catch (error) {
      offered?.ended.resolve();
      throw error;
    }
  }

  /** Takes no more calls, and waits for the running ones. */
  async close(): Promise<void> {
    await this.#worker.close();
  }

  async #offer(ticket: string, door: string): Promise<void> {
    const offered = { started: new Deferred<void>(), ended: new Deferred<void>() };
    this.#offered.set(ticket, offered);
    const timer = setTimeout(
      () => offered.started.reject(new UnrecoverableError(`${door} did not send the request`)),
      OFFER_TIMEOUT,
    );
    try {
      if (!(await this.cluster.sockets.sendText(door, `offer ${ticket}`)))
        throw new UnrecoverableError(`the process ${door} is gone`);
      await offered.started.promise;
      await offered.ended.promise;
    } finally {
      clearTimeout(timer);
      this.#offered.delete(ticket);
    }
  }
}
