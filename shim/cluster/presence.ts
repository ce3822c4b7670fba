import type { Redis } from 'ioredis';
import type { ApiName } from '#core/http';

/** A model in the memory of a worker. */
export interface ModelCopy {
  name: string;
  /** Bytes on all devices. */
  size: number;
  /** When it is unloaded without a further request: milliseconds since 1970. Null: never. */
  expiresAt: number | null;
}

/** A process of the cluster, as it describes itself. */
export interface ProcessInfo {
  process: string;
  role: 'door' | 'worker';
  /** The version of tabd. */
  version: string;
  /** The APIs whose work it does. */
  apis: ApiName[];
  /** The only models it answers with. Undefined: any. */
  models?: string[];
  /** The models in its memory. */
  loaded: string[];
  /** The same models, with their memory. Undefined: a version that does not announce it. */
  copies?: ModelCopy[];
  /** It takes no new work, by the wish of an administrator. */
  draining?: boolean;
  /** Seconds since its start. */
  uptime: number;
  /** Requests that it answers now. */
  running: number;
  /**
   * The APIs whose single tasks it does: schedules, changes of workflows and models, the queue of prompts. With the number
   * of its term, which is higher than that of earlier leaders.
   */
  leads: Partial<Record<ApiName, number>>;
}

/** Milliseconds for which a description counts, and between two of them. */
const TTL = 10_000;
export const PRESENCE_INTERVAL = 1000;

/** Announces this process in Redis, and knows all that did. It serves routing only: PostgreSQL decides who runs. */
export class Presence {
  #processes: ProcessInfo[] = [];
  readonly #listeners: (() => void)[] = [];

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly ownInfo: () => ProcessInfo,
  ) {}

  /** All processes that announced themselves lately, as of the last update. */
  get processes(): readonly ProcessInfo[] {
    return this.#processes;
  }

  /** The workers that take new work of an API. */
  workers(api: ApiName): ProcessInfo[] {
    return this.#processes.filter(
      ({ role, apis, draining }) => role === 'worker' && !draining && apis.includes(api),
    );
  }

  /** The worker that does the single tasks of an API. */
  leader(api: ApiName): ProcessInfo | undefined {
    // A leader that has died is announced for some more seconds.
    const term = ({ leads }: ProcessInfo) => leads[api] ?? 0;
    const newest = this.#processes.reduce<ProcessInfo | undefined>(
      (best, each) => (best && term(best) >= term(each) ? best : each),
      undefined,
    );
    return newest && term(newest) > 0 ? newest : undefined;
  }

  /** Calls `listener` after each update. */
  onUpdate(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Announces this process, and reads the announcements of all.
   * @param options `keepsUnknown`: a process whose announcement is missing stays known as it was
   */
  async update({ keepsUnknown = false } = {}): Promise<void> {
    const own = this.ownInfo();
    await this.redis
      .multi()
      .set(this.#key(own.process), JSON.stringify(own), 'PX', TTL)
      .sadd(this.#set, own.process)
      .exec();
    const names = await this.redis.smembers(this.#set);
    const texts = names.length > 0 ? await this.redis.mget(names.map((name) => this.#key(name))) : [];
    const gone = names.filter((_, at) => texts[at] === null);
    if (gone.length > 0) await this.redis.srem(this.#set, gone);
    const found = texts.flatMap((text) => (text ? [JSON.parse(text) as ProcessInfo] : []));
    const announced = new Set(found.map(({ process }) => process));
    const others = keepsUnknown ? this.#processes.filter(({ process }) => !announced.has(process)) : [];
    this.#processes = [...found, ...others];
    for (const listener of this.#listeners) listener();
  }

  /** The number of a new leader's term. Higher than those of known leaders, also when Redis has lost its data. */
  async nextTerm(): Promise<number> {
    const key = `${this.prefix}:term`;
    const next = await this.redis.incr(key);
    const highest = Math.max(0, ...this.#processes.flatMap(({ leads }) => Object.values(leads)));
    if (next > highest) return next;
    await this.redis.set(key, highest + 1);
    return highest + 1;
  }

  async withdraw(): Promise<void> {
    const { process } = this.ownInfo();
    await this.redis.multi().del(this.#key(process)).srem(this.#set, process).exec();
  }

  get #set(): string {
    return `${this.prefix}:processes`;
  }

  #key(process: string): string {
    return `${this.prefix}:process:${process}`;
  }
}
