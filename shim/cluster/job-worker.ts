/** Does the jobs of the queue of webhook work, as far as this worker has room. */
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { Deferred } from '#core/base';
import type { Log } from '#core/host';
import { offerOf } from './call-queue.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { JOB_QUEUE, QUEUE_PREFIX, type WebhookJob } from './job-queue.ts';

/** Milliseconds in which a door must send the request of a job that a worker has taken. */
const OFFER_TIMEOUT = 10_000;
/** Milliseconds between two looks for jobs whose worker has died. */
const STALLED_INTERVAL = 15_000;

export interface JobWorkerOptions {
  /** Jobs at the same time. */
  concurrency: number;
  log: Log;
  /** Runs an execution. Resolves when it waits or has ended. */
  run(execution: string): Promise<void>;
}

export class JobWorker {
  readonly #worker: Worker<WebhookJob>;
  readonly #offered = new Map<string, { started: Deferred<void>; ended: Deferred<void> }>();

  constructor(
    private readonly cluster: ClusterConnection,
    { concurrency, log, run }: JobWorkerOptions,
  ) {
    this.#worker = new Worker<WebhookJob>(
      JOB_QUEUE,
      async (job, token) => {
        await this.#giveBackIfPaused(job, token);
        const { id, data } = job;
        await ('door' in data ? this.#offer(id!, data.door) : run(data.execution));
      },
      {
        connection: cluster.duplicate() as never,
        prefix: QUEUE_PREFIX,
        concurrency,
        // A job whose worker died has failed. The door answers 503, and executions have a rule of their own.
        maxStalledCount: 0,
        stalledInterval: STALLED_INTERVAL,
      },
    );
    this.#worker.on('error', (error) => log.warn('the queue of calls', { error: String(error) }));
    this.#worker.on('failed', (job, error) => {
      if (job && 'execution' in job.data)
        log.warn('an execution of the queue did not run', {
          execution: job.data.execution,
          error: String(error),
        });
    });
  }

  /** Runs `work`, the answer to the request of this ticket. The job ends with it. */
  async answer<T>(ticket: string, work: (ended: () => void) => Promise<T>): Promise<T> {
    const offered = this.#offered.get(ticket);
    offered?.started.resolve();
    try {
      return await work(() => offered?.ended.resolve());
    } catch (error) {
      offered?.ended.resolve();
      throw error;
    }
  }

  /** Frees the place of a call that its door will not send. A call that was sent already is not stopped by this. */
  decline(ticket: string): void {
    this.#offered.get(ticket)?.started.reject(new UnrecoverableError('the client has left'));
  }

  /** Takes no more jobs, or takes them again. Running ones continue. */
  async pause(isPaused: boolean): Promise<void> {
    if (isPaused) await this.#worker.pause(true);
    else this.#worker.resume();
  }

  /** Takes no more calls, and waits for the running ones. */
  async close(): Promise<void> {
    await this.#worker.close();
  }

  /** A worker that waited for a job when it was paused still takes the next one. Another worker must do it. */
  async #giveBackIfPaused(job: Job, token: string | undefined): Promise<void> {
    if (!this.#worker.isPaused()) return;
    await job.moveToWait(token);
    throw new WaitingError();
  }

  async #offer(ticket: string, door: string): Promise<void> {
    const offered = { started: new Deferred<void>(), ended: new Deferred<void>() };
    // The door may decline before the offer counts as sent.
    offered.started.promise.catch(() => {});
    this.#offered.set(ticket, offered);
    const timer = setTimeout(
      () => offered.started.reject(new UnrecoverableError(`${door} did not send the request`)),
      OFFER_TIMEOUT,
    );
    try {
      if (!(await this.cluster.sockets.sendText(door, offerOf(ticket))))
        throw new UnrecoverableError(`the process ${door} is gone`);
      await offered.started.promise;
      await offered.ended.promise;
    } finally {
      clearTimeout(timer);
      this.#offered.delete(ticket);
    }
  }
}
