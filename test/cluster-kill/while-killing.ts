import { setTimeout as sleep } from 'node:timers/promises';
import type { Killer } from './kills.ts';

export interface Pace {
  /** How many calls are made. */
  calls: number;
  /** Kills, at random times between the first call and the last one. */
  kills: number;
  /** Seconds between two kills, on average. */
  interval: number;
  /** The most calls a second. */
  rate: number;
}

/** Makes calls at an even pace, while parts of the cluster are killed. @returns what the calls returned */
export async function whileKilling<T>(
  { calls, kills, interval, rate }: Pace,
  killer: Killer,
  random: () => number,
  call: (number: number) => Promise<T>,
): Promise<T[]> {
  const span = Math.max(kills * interval, calls / rate) * 1000;
  const times = Array.from({ length: kills }, () => random() * span).sort((a, b) => a - b);
  const start = performance.now();
  const until = (time: number) => sleep(Math.max(0, time - (performance.now() - start)));
  const striking = (async () => {
    for (const time of times) {
      await until(time);
      killer.strike();
    }
  })();
  const results: Promise<T>[] = [];
  for (let number = 0; number < calls; number++) {
    await until((number / calls) * span);
    results.push(call(number));
  }
  await striking;
  return Promise.all(results);
}
