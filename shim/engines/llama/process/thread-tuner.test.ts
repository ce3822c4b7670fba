import { beforeEach, expect, test } from 'vitest';
import { type CpuUsage, defaultThreads, ThreadTuner } from './thread-tuner.ts';

let usage: CpuUsage;
let applied: number[];
let pace: ThreadTuner;
beforeEach(() => {
  usage = { time: 0, processor: 0, preemptions: 0 };
  applied = [];
  pace = new ThreadTuner(
    4,
    (threads) => void applied.push(threads),
    () => usage,
  );
});

/** Simulates a computation on some cores. */
function compute(milliseconds: number, cores: number, preemptionsPerSecond: number): void {
  pace.begin();
  pace.step();
  for (let passed = 0; passed < milliseconds; passed += 50) {
    usage = {
      time: usage.time + 50,
      processor: usage.processor + 50 * cores,
      preemptions: usage.preemptions + preemptionsPerSecond / 20,
    };
    pace.step();
  }
}

test('an idle computer keeps all threads, also when little of the work is parallel', () => {
  compute(5_000, 3.9, 2);
  compute(5_000, 1.5, 2);
  expect(applied).toEqual([]);
});

test('on a busy computer the number of threads is reduced, and tried again at growing intervals', () => {
  compute(1_000, 2.3, 400);
  expect(applied).toEqual([2]);
  compute(3_500, 2, 0);
  expect(applied).toEqual([2, 4]);
  compute(400, 1.2, 400);
  expect(applied).toEqual([2, 4, 1]);
  compute(3_500, 1, 0);
  expect(applied).toEqual([2, 4, 1]);
  compute(3_500, 1, 0);
  expect(applied).toEqual([2, 4, 1, 4]);
});

test('a pause between two computations does not reduce the threads', () => {
  compute(200, 3.9, 0);
  usage = { ...usage, time: usage.time + 60_000, preemptions: usage.preemptions + 10_000 };
  compute(2_000, 3.9, 2);
  expect(applied).toEqual([]);
});

test('leaves a core to the server when there are three or more', () => {
  expect([1, 2, 3, 16].map((cores) => defaultThreads(cores, cores))).toEqual([1, 2, 2, 15]);
  expect(defaultThreads(8, 16)).toBe(8);
});
