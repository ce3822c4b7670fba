import { expect, it } from 'vitest';
import { simulateCluster } from './cluster-simulation.ts';
import { percentile } from './statistics.ts';

const base = { workers: 1, places: 1, serviceTimes: [10], load: 0.5, calls: 200_000, seed: 1 };
const mean = (times: number[]) => times.reduce((sum, time) => sum + time, 0) / times.length;

it('agrees with the formula for one place and a constant time (Pollaczek and Khinchin)', () => {
  for (const load of [0.3, 0.5, 0.8]) {
    const expected = 10 + (10 * load) / (2 * (1 - load));
    expect(mean(simulateCluster({ ...base, load })) / expected).toBeCloseTo(1, 1);
  }
});

it('agrees with the formula of Erlang for several places and times that vary exponentially', () => {
  const serviceTimes = Array.from({ length: 5000 }, (_, at) => -10 * Math.log(1 - (at + 0.5) / 5000));
  // Two workers of two places at a load of 0.8: a call waits with probability 0.5964.
  const expected = 10 + (0.5964 * 10) / (4 * (1 - 0.8));
  const times = simulateCluster({ ...base, workers: 2, places: 2, load: 0.8, serviceTimes });
  expect(mean(times) / expected).toBeCloseTo(1, 1);
});

it('makes a larger cluster wait less at the same load', () => {
  const p99 = (workers: number) =>
    percentile(simulateCluster({ ...base, workers, places: 1, load: 0.9 }), 0.99);
  expect(p99(100)).toBeLessThan(p99(4));
  expect(p99(100)).toBeGreaterThanOrEqual(10);
});
