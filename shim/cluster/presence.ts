import type { Redis } from 'ioredis';
import type { ApiName } from '#core/http';

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
  /** Requests that it answers now. */
  running: number;
  /** The APIs whose single tasks it does: schedules, changes of workflows and models, the queue of prompts. */
  leads: ApiName[];
}

/** Milliseconds for which a description counts, and between two of them. */
const TTL = 10_000;
export const PRESENCE_INTERVAL = 1000;

/** Announces this process in Redis, and knows all that did. It serves routing only: PostgreSQL decides who runs. */
export class Presence {
  #processes: ProcessInfo[] = [];

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly ownInfo: () => ProcessInfo,
  ) {}

  /** All processes that announced themselves lately, as of the last update. */
  get processes(): readonly ProcessInfo[] {
    return this.#processes;
  }

  workers(api: ApiName): ProcessInfo[] {
    return this.#processes.filter(({ role, apis }) => role === 'worker' && apis.includes(api));
  }

  /** The worker that does the single tasks of an API. */
  leader(api: ApiName): ProcessInfo | undefined {
    return this.#processes.find(({ leads }) => leads.includes(api));
  }

  /** Announces this process, and reads the announcements of all. */
  async update(): Promise<void> {
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
    this.#processes = texts.flatMap((text) => (text ? [JSON.parse(text) as ProcessInfo] : []));
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
