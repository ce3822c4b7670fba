import type { Redis } from 'ioredis';
import type { Log } from '#core/host';
import type { ClusterConnection } from './cluster-connection.ts';

/** Milliseconds between two counts of the subscribers. */
const COUNT_INTERVAL = 1000;

interface EventMessage {
  from: string;
  event: object;
}

/** Events between processes, by the publications of Redis. Nothing is sent while nobody subscribes. */
export class ClusterEvents {
  readonly #channel: string;
  readonly #listeners = new Set<(event: object) => void>();
  readonly #timer: NodeJS.Timeout;
  #subscriber: Redis | undefined;
  #subscribers = 0;
  #isCounting = false;

  constructor(
    private readonly cluster: ClusterConnection,
    prefix: string,
    private readonly log: Log,
  ) {
    this.#channel = `${prefix}:events`;
    this.#timer = setInterval(() => void this.#count(), COUNT_INTERVAL);
    void this.#count();
  }

  /** Whether another process subscribes. */
  get isWatched(): boolean {
    return this.#subscribers > (this.#listeners.size > 0 ? 1 : 0);
  }

  publish(event: object): void {
    const message: EventMessage = { from: this.cluster.process, event };
    // While Redis is away, commands wait for it: old events would arrive late, and fill the memory.
    if (this.cluster.redis.status !== 'ready') return;
    this.cluster.redis.publish(this.#channel, JSON.stringify(message)).catch(() => {});
  }

  subscribe(listener: (event: object) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#follow((subscriber) => subscriber.subscribe(this.#channel));
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#follow((subscriber) => subscriber.unsubscribe(this.#channel));
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #follow(change: (subscriber: Redis) => Promise<unknown>): void {
    if (!this.#subscriber) {
      this.#subscriber = this.cluster.duplicate();
      this.#subscriber.on('message', (_channel, text) => this.#receive(text));
    }
    change(this.#subscriber).catch((error) =>
      this.log.warn('the events of the cluster cannot be followed', { error: String(error) }),
    );
  }

  #receive(text: string): void {
    const { from, event } = JSON.parse(text) as EventMessage;
    if (from === this.cluster.process) return;
    for (const listener of [...this.#listeners]) listener(event);
  }

  async #count(): Promise<void> {
    if (this.#isCounting || this.cluster.redis.status !== 'ready') return;
    this.#isCounting = true;
    try {
      const [, count] = (await this.cluster.redis.pubsub('NUMSUB', this.#channel)) as [string, number];
      this.#subscribers = Number(count);
    } catch {
      // The next count may succeed.
    } finally {
      this.#isCounting = false;
    }
  }
}
