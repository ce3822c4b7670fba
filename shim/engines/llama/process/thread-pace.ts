/** Times in milliseconds. */
const WINDOW = 300;
const FIRST_RETRY = 3_000;
const LONGEST_RETRY = 60_000;
/** Below this share of the processor time that the threads could use, and with this many preemptions a second, … */
const SHARE = 0.7;
const PREEMPTIONS = 40;

/** What the system says of this process; differences count, not values. */
export interface Usage {
  /** Milliseconds. */
  time: number;
  /** Milliseconds of processor time of all threads. */
  processor: number;
  /** Times the system took the processor away from a thread that wanted to go on. */
  preemptions: number;
}

/**
 * Threads of llama.cpp wait for each other by spinning, so one thread that another program pushes off its core stops
 * all of them: on a busy computer two threads can be thirty times slower than one. This looks at what the threads
 * really got, gives up those that are not to be had, and tries again later. On a quiet computer it changes nothing.
 */
export class ThreadPace {
  #threads: number;
  #window: Usage | undefined;
  #retryAt = Number.POSITIVE_INFINITY;
  #retryAfter = FIRST_RETRY;

  constructor(
    private readonly wanted: number,
    private readonly apply: (threads: number) => void,
    private readonly usage: () => Usage = processUsage,
  ) {
    this.#threads = wanted;
  }

  /** A computation begins after a pause. */
  begin(): void {
    this.#window = undefined;
  }

  /** Called often while computing: after each token and each piece of a prompt. */
  step(): void {
    if (this.wanted === 1) return;
    const now = this.usage();
    if (!this.#window) {
      this.#window = now;
      return;
    }
    const elapsed = now.time - this.#window.time;
    if (elapsed < WINDOW) return;
    const cores = (now.processor - this.#window.processor) / elapsed;
    const preemptions = ((now.preemptions - this.#window.preemptions) * 1000) / elapsed;
    this.#window = now;
    if (this.#threads > 1 && cores < SHARE * this.#threads && preemptions > PREEMPTIONS) {
      this.#retryAt = now.time + this.#retryAfter;
      this.#retryAfter = Math.min(this.#retryAfter * 2, LONGEST_RETRY);
      this.#change(Math.max(1, Math.floor(cores)));
    } else if (this.#threads < this.wanted && now.time >= this.#retryAt) {
      this.#retryAt = now.time + this.#retryAfter;
      this.#change(this.wanted);
    } else if (this.#threads === this.wanted && now.time >= this.#retryAt) {
      // All threads for as long as the last wait: the computer is quiet again.
      this.#retryAfter = FIRST_RETRY;
    }
  }

  #change(threads: number): void {
    this.#threads = threads;
    this.apply(threads);
  }
}

function processUsage(): Usage {
  const { userCPUTime, systemCPUTime, involuntaryContextSwitches } = process.resourceUsage();
  return {
    time: performance.now(),
    processor: (userCPUTime + systemCPUTime) / 1000,
    preemptions: involuntaryContextSwitches,
  };
}
