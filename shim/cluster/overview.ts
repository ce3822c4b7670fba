/** Facts about a cluster for people, and what they may do. A door collects them. */
import { API_NAMES, type ApiName } from '#core/http';
import type { ClusterConnection } from './cluster-connection.ts';
import { peerContext } from './host-cluster.ts';
import type { JobQueue } from './job-queue.ts';
import type { Peers } from './peers.ts';
import type { ProcessInfo } from './presence.ts';
import { DRAIN, RESUME } from './worker.ts';

/** Milliseconds in which a worker must answer. */
const ANSWER_TIMEOUT = 5000;
/** Milliseconds for which a valid key of the control API counts. */
const KEY_AGE = 10_000;
/** How many workers are asked about a key at once: one that has died is announced for some more seconds. */
const KEY_WORKERS = 3;

/** The work that waits and runs, over all workers. */
export interface QueueReport {
  name: 'webhooks' | 'image-workflows';
  waiting: number;
  running: number;
  /** Seconds for which the first one has waited. Undefined: nothing waits, or the queue does not say. */
  oldest?: number;
}

/** An execution that waits for long, or whose process ended. `startedAt`: milliseconds since 1970. */
export interface StuckReport {
  id: string;
  workflowName: string;
  state: 'waiting' | 'crashed';
  startedAt: number;
}

export interface ClusterReport {
  processes: ProcessInfo[];
  queues: QueueReport[];
  stuck: StuckReport[];
}

/** Something that was asked for is not there, or was refused. */
export class ClusterRefusal extends Error {
  override name = 'ClusterRefusal';
  constructor(
    readonly status: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class ClusterOverview {
  readonly #validKeys = new Map<string, number>();

  constructor(
    private readonly cluster: ClusterConnection,
    private readonly queue: JobQueue,
    private readonly peers: Peers,
  ) {}

  async report(): Promise<ClusterReport> {
    const [webhooks, images, stuck] = await Promise.all([
      this.#webhooks(),
      this.#images(),
      this.#fromLeader<{ executions: StuckReport[] }>('webhooks', '/peer/executions/stuck'),
    ]);
    return {
      processes: [...this.cluster.presence.processes].sort((a, b) => a.process.localeCompare(b.process)),
      queues: [webhooks, ...(images ? [{ name: 'image-workflows' as const, ...images }] : [])],
      stuck: stuck?.executions ?? [],
    };
  }

  /** How many image prompts wait or run. Undefined: no worker has their queue, or it does not answer. */
  async remainingPrompts(): Promise<number | undefined> {
    const images = await this.#images();
    return images && images.waiting + images.running;
  }

  /** The workers that take new work, by API. */
  workers(): Record<string, number> {
    return Object.fromEntries(API_NAMES.map((api) => [api, this.cluster.presence.workers(api).length]));
  }

  /** Makes a worker take no new work, or take work again. @throws ClusterRefusal 404 */
  async drain(process: string, isDraining: boolean): Promise<void> {
    const worker = this.cluster.presence.processes.find((info) => info.process === process);
    if (worker?.role !== 'worker') throw new ClusterRefusal(404, `there is no worker ${process}`);
    if (!(await this.cluster.sockets.sendText(process, isDraining ? DRAIN : RESUME)))
      throw new ClusterRefusal(404, `the worker ${process} is gone`);
  }

  /** Repeats a stuck execution. @returns the id of the execution that runs. @throws ClusterRefusal */
  async retry(id: string): Promise<string> {
    const response = await this.#askLeader(
      'webhooks',
      `/peer/executions/${encodeURIComponent(id)}/retry`,
      'POST',
    );
    if (!response) throw new ClusterRefusal(503, 'no worker runs that answers webhooks');
    const answer = (await response.json()) as { id: string; message?: string };
    if (!response.ok)
      throw new ClusterRefusal(response.status, answer.message ?? `status ${response.status}`);
    return answer.id;
  }

  /** Whether this is a key of the control API. Workers know them. @throws ClusterRefusal 503 */
  async knowsKey(key: string): Promise<boolean> {
    const now = performance.now();
    for (const [valid, until] of this.#validKeys) if (until < now) this.#validKeys.delete(valid);
    if (this.#validKeys.has(key)) return true;
    const workers = this.cluster.presence.processes
      .filter(({ role, apis }) => role === 'worker' && apis.length > 0)
      .sort((a, b) => Number(this.peers.isSuspect(a.process)) - Number(this.peers.isSuspect(b.process)));
    if (workers.length === 0) throw new ClusterRefusal(503, 'no worker runs that knows the keys');
    const isValid = await Promise.any(
      workers.slice(0, KEY_WORKERS).map(({ process }) => this.#isKeyOf(process, key)),
    ).catch(() => {
      throw new ClusterRefusal(503, 'no worker answers that knows the keys');
    });
    if (isValid) this.#validKeys.set(key, now + KEY_AGE);
    return isValid;
  }

  async #isKeyOf(process: string, key: string): Promise<boolean> {
    const response = await this.#ask(process, 'webhooks', '/peer/keys', 'POST', key);
    return ((await response.json()) as { isValid: boolean }).isValid;
  }

  async #webhooks(): Promise<QueueReport> {
    const { bull } = this.queue;
    const [counts, [first]] = await Promise.all([
      bull.getJobCounts('wait', 'active'),
      bull.getJobs(['wait'], 0, 0, true),
    ]);
    const oldest = first && Math.max(0, Math.round((Date.now() - first.timestamp) / 1000));
    return {
      name: 'webhooks',
      waiting: counts.wait ?? 0,
      running: counts.active ?? 0,
      ...(oldest !== undefined && { oldest }),
    };
  }

  #images() {
    return this.#fromLeader<Pick<QueueReport, 'waiting' | 'running'>>('image-workflows', '/peer/queue');
  }

  async #fromLeader<T>(api: ApiName, path: string): Promise<T | undefined> {
    try {
      const response = await this.#askLeader(api, path, 'GET');
      return response?.ok ? ((await response.json()) as T) : undefined;
    } catch {
      // A report says what is known.
      return undefined;
    }
  }

  async #askLeader(api: ApiName, path: string, method: string): Promise<Response | undefined> {
    const leader = this.cluster.presence.leader(api);
    return leader && this.#ask(leader.process, api, path, method);
  }

  /** @throws ClusterRefusal 503 */
  async #ask(process: string, api: ApiName, path: string, method: string, body?: string): Promise<Response> {
    const request = new Request(`http://${api}${path}`, {
      method,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    });
    try {
      return await this.peers.fetch(process, { request, context: peerContext(api) });
    } catch (cause) {
      throw new ClusterRefusal(503, `the worker ${process} does not answer`, { cause });
    }
  }
}
