/** Calls of a large cluster, simulated: one queue, workers with places, and times that were measured on one worker. */
import { randomNumbers } from '#test/support/local-models/random-schema.ts';

export interface SimulatedCluster {
  workers: number;
  /** Calls at once of a worker. */
  places: number;
  /** Milliseconds that a call takes on a worker, as measured. A call takes one of them, at random. */
  serviceTimes: readonly number[];
  /** The share of what all places can do at most. Below 1, or the queue grows for ever. */
  load: number;
  calls: number;
  seed: number;
}

/**
 * Milliseconds from each arrival to the end of its call. Arrivals are a Poisson process: calls that know nothing of each
 * other. A call takes the place that is free first.
 */
export function simulateCluster(cluster: SimulatedCluster): number[] {
  const { workers, places, serviceTimes, load, calls } = cluster;
  const random = randomNumbers(cluster.seed);
  const mean = serviceTimes.reduce((sum, time) => sum + time, 0) / serviceTimes.length;
  const gap = mean / (workers * places * load);
  const free = new EarliestFirst(workers * places);
  let now = 0;
  return Array.from({ length: calls }, () => {
    now += -Math.log(1 - random()) * gap;
    const start = Math.max(now, free.earliest);
    const end = start + serviceTimes[Math.floor(random() * serviceTimes.length)]!;
    free.replaceEarliest(end);
    return end - now;
  });
}

/** The times at which places become free, as a binary heap: no parent is later than its children. */
class EarliestFirst {
  readonly #times: Float64Array;

  /** All places are free at time 0. */
  constructor(places: number) {
    this.#times = new Float64Array(places);
  }

  get earliest(): number {
    return this.#times[0]!;
  }

  /** @param time not before the earliest time */
  replaceEarliest(time: number): void {
    const times = this.#times;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < times.length && times[child + 1]! < times[child]!) child++;
      if (child >= times.length || times[child]! >= time) break;
      times[at] = times[child]!;
      at = child;
    }
    times[at] = time;
  }
}
