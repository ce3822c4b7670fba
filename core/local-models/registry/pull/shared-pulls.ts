import type { Clock } from '#core/host';
import type { PullProgress } from '../progress.ts';
import { Follower } from './follower.ts';

/** Lines of progress come at most this often (milliseconds). */
const interval = 60;

type Start = (signal: AbortSignal, emit: (line: PullProgress) => void) => Promise<void>;

/**
 * Pulls under way. Whoever asks for one that runs joins it and is told its state so far; when the last has left, it
 * is stopped.
 */
export class SharedPulls {
  readonly #running = new Map<string, SharedPull>();
  /** Also those that were stopped and are still putting things away. */
  readonly #unfinished = new Set<SharedPull>();

  constructor(private readonly clock: Clock) {}

  /** `start` is called when no pull of this key runs. */
  async *follow(key: string, start: Start, signal: AbortSignal): AsyncGenerator<PullProgress> {
    signal.throwIfAborted();
    let pull = this.#running.get(key);
    if (!pull) {
      const begun = new SharedPull(this.clock, start, () => {
        if (this.#running.get(key) === begun) this.#running.delete(key);
      });
      pull = begun;
      this.#running.set(key, begun);
      this.#unfinished.add(begun);
      begun.run().then(() => this.#unfinished.delete(begun));
    }
    yield* pull.follow(signal);
  }

  /** Stops all of them and waits until they have put their things away. */
  async close(): Promise<void> {
    const pulls = [...this.#unfinished];
    for (const pull of pulls) pull.stop(new DOMException('tabd is closing', 'AbortError'));
    await Promise.all(pulls.map((pull) => pull.ended));
  }
}

class SharedPull {
  readonly #followers = new Set<Follower>();
  readonly #stop = new AbortController();
  /** All lines so far, of each progress only the newest. */
  readonly #lines = new Map<string, PullProgress>();
  readonly #told = new Map<string, number>();
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
        // Whoever comes now begins anew: this one will not get further.
        this.onEnd();
        this.stop(new DOMException('nobody waits for this pull any more', 'AbortError'));
      }
    }
  }

  #emit(line: PullProgress): void {
    this.#lines.set(line.status, line);
    const now = this.clock.now();
    const last = this.#told.get(line.status);
    const isMidway = line.completed !== undefined && line.completed !== line.total;
    if (isMidway && last !== undefined && now - last < interval) return;
    this.#told.set(line.status, now);
    for (const follower of this.#followers) follower.push(line);
  }

  #end(ended: { error?: unknown }): void {
    this.#ended = ended;
    this.onEnd();
    for (const follower of this.#followers) follower.end(ended);
  }
}
