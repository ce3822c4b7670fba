/** Runs activities next to each other for a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from './activities.ts';
import type { Door } from './door.ts';

export interface Load {
  /** The number of turns of each activity. */
  turns: Record<string, number>;
  failures: string[];
}

/** How long a turn may take. A longer one counts as a hang, and ends its activity. */
const TURN_SECONDS = 180;
/** Failures that are kept. */
const MAX_FAILURES = 20;

/** @param load what the turns are added to, so that each turn has a number of its own */
export async function runLoad(activities: readonly Activity[], door: Door, seconds: number, load: Load) {
  const until = Date.now() + seconds * 1000;
  await Promise.all(
    activities.map(async (activity) => {
      while (Date.now() < until) {
        const turn = (load.turns[activity.name] ?? 0) + 1;
        load.turns[activity.name] = turn;
        const failure = await failureOf(activity, door, turn);
        if (failure && load.failures.length < MAX_FAILURES)
          load.failures.push(`${activity.name} ${turn}: ${failure}`);
        if (failure === HANG) return;
        await sleep(activity.pause);
      }
    }),
  );
}

const HANG = `not ended after ${TURN_SECONDS} s`;

async function failureOf(activity: Activity, door: Door, turn: number): Promise<string | undefined> {
  const waiting = new AbortController();
  const hang = sleep(TURN_SECONDS * 1000, HANG, { signal: waiting.signal }).catch(() => undefined);
  const work = activity.turn(door, turn).then(
    () => undefined,
    (error: Error) => error.message,
  );
  try {
    return await Promise.race([work, hang]);
  } finally {
    waiting.abort();
  }
}
