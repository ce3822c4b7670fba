/** Milliseconds: of one measurement, and of the shortest and longest wait before more threads are tried again. */
const WINDOW = 300;
const FIRST_RETRY = 3_000;
const LONGEST_RETRY = 60_000;
/**
 * Threads are reduced below this share of the possible processor time, if there are also this many
 * preemptions a second.
 */
const SHARE = 0.7;
const PREEMPTIONS = 40;

/** Counters of this process. Only their differences are meaningful. */
export interface CpuUsage {
  /** Milliseconds. */
  time: number;
  /** Milliseconds of processor time of all threads. */
  processor: number;
  /** The number of times that the system interrupted a running thread. */
  preemptions: number;
}

/**
 * Adapts the number of threads to a busy computer. Threads of llama.cpp wait for each other by spinning, so one
 * interrupted thread stops all of them. Two threads can then be thirty times slower than one. The tuner measures the
 * processor time that the threads received, reduces their number, and tries again later. On an idle computer it changes
 * nothing.
 */
export class ThreadTuner {
  #threads: number;
  #window: CpuUsage | undefined;
  #retryAt = Number.POSITIVE_INFINITY;
  #retryAfter = FIRST_RETRY;

  constructor(
    private readonly requested: number,
    private readonly apply: (threads: number) => void,
    private readonly usage: () => CpuUsage = processUsage,
  ) {
    this.#threads = requested;
  }

  /** A computation begins after a pause. */
  begin(): void {
    this.#window = undefined;
  }

  /** Called often while computing: after each token and each piece of a prompt. */
  step(): void {
    if (this.requested === 1) return;
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
    } else if (this.#threads < this.requested && now.time >= this.#retryAt) {
      this.#retryAt = now.time + this.#retryAfter;
      this.#change(this.requested);
    } else if (this.#threads === this.requested && now.time >= this.#retryAt) {
      // All threads have run well for as long as the last wait, so the computer is idle again.
      this.#retryAfter = FIRST_RETRY;
    }
  }

  #change(threads: number): void {
    this.#threads = threads;
    this.apply(threads);
  }
}

/**
 * One thread for each physical core. With three or more cores, one is left to the rest of the server. A thread for every
 * one of 16 cores gave 50 to 150 tokens a second, and 15 threads gave 340.
 */
export const defaultThreads = (physical: number, cores: number): number =>
  Math.min(physical, cores <= 2 ? cores : cores - 1);

function processUsage(): CpuUsage {
  const { userCPUTime, systemCPUTime, involuntaryContextSwitches } = process.resourceUsage();
  return {
    time: performance.now(),
    processor: (userCPUTime + systemCPUTime) / 1000,
    preemptions: involuntaryContextSwitches,
  };
}
