import type { Clock } from '#core/host';
import type { PullProgress } from '../progress.ts';
import { Follower } from './follower.ts';

/** The least time between two lines of progress of a layer, in milliseconds. */
const REPORT_INTERVAL = 60;

type Start = (signal: AbortSignal, emit: (line: PullProgress) => void) => Promise<void>;

/**
 * The running pulls. A caller with the key of a running pull joins it, and first receives its progress so far. When the
 * last caller has left, the pull stops.
 */
export class SharedPulls {
  readonly #running = new Map<string, SharedPull>();
  /** The running pulls, and the stopped ones that still clean up. */
  readonly #unfinished = new Set<SharedPull>();

  constructor(private readonly clock: Clock) {}

  /**
   * Yields the progress of the pull with this key.
   * @param start starts the pull if none with this key is running
   */
  async *follow(key: string, start: Start, signal: AbortSignal): AsyncGenerator<PullProgress> {
    signal.throwIfAborted();
    let pull = this.#running.get(key);
    if (!pull) {
      const started = new SharedPull(this.clock, start, () => {
        if (this.#running.get(key) === started) this.#running.delete(key);
      });
      pull = started;
      this.#running.set(key, started);
      this.#unfinished.add(started);
      started.run().then(() => this.#unfinished.delete(started));
    }
    yield* pull.follow(signal);
  }

  /** Stops all pulls and waits until they have cleaned up. */
  async close(): Promise<void> {
    const pulls = [...this.#unfinished];
    for (const pull of pulls) pull.stop(new DOMException('tabd is closing', 'AbortError'));
    await Promise.all(pulls.map((pull) => pull.ended));
  }
}

class SharedPull {
  readonly #followers = new Set<Follower>();
  readonly #stop = new AbortController();
  /** The latest line of each status. */
  readonly #lines = new Map<string, PullProgress>();
  /** The time of the last report of each status. */
  readonly #reportedAt = new Map<string, number>();
  #ended: { error?: unknown } | undefined;
  ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly start: Start,
    private readonly onEnd: () => void,
  ) {}

  run(): Promise<void> {
    this.ended = this.start(this.#stop.signal, (line) => this.#emit(line)).then(
      () => this.#end({}),
      (error: unknown) => this.#end({ error }),
    );
    return this.ended;
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  async *follow(signal: AbortSignal): AsyncGenerator<PullProgress> {
    const follower = new Follower();
    for (const line of this.#lines.values()) follower.push(line);
    if (this.#ended) follower.end(this.#ended);
    this.#followers.add(follower);
    try {
      yield* follower.lines(signal);
    } finally {
      this.#followers.delete(follower);
      if (this.#followers.size === 0 && !this.#ended) {
        // A later caller must start a new pull, because this one is about to stop.
        this.onEnd();
        this.stop(new DOMException('nobody waits for this pull any more', 'AbortError'));
      }
    }
  }

  #emit(line: PullProgress): void {
    this.#lines.set(line.status, line);
    const now = this.clock.now();
    const last = this.#reportedAt.get(line.status);
    const isMidway = line.completed !== undefined && line.completed !== line.total;
    if (isMidway && last !== undefined && now - last < REPORT_INTERVAL) return;
    this.#reportedAt.set(line.status, now);
    for (const follower of this.#followers) follower.push(line);
  }

  #end(ended: { error?: unknown }): void {
    this.#ended = ended;
    this.onEnd();
    for (const follower of this.#followers) follower.end(ended);
  }
}
