import type { AfterRun } from '../../graph-editor/graph/graph.ts';
import type { JsonValue } from '../../graph-editor/graph/value.ts';
import { exactInteger } from '../../graph-editor/graph/value.ts';
import type { Widget } from '../../graph-editor/nodes/node-kind.ts';

/** What a seed is for the next run. Random ones have at most 50 bits: every program keeps those exactly. */
export function valueAfterRun(
  value: JsonValue,
  after: AfterRun,
  { min = 0, max = RANDOM }: Extract<Widget, { kind: 'whole' }>,
  random: () => number = Math.random,
): JsonValue {
  if (after === 'fixed' || (typeof value !== 'number' && typeof value !== 'bigint')) return value;
  const [least, most] = [BigInt(min), BigInt(max)];
  if (after === 'randomize') {
    const low = least < 0n ? 0n : least;
    const range = most - low < RANDOM ? Number(most - low) : Number(RANDOM);
    return exact(low + BigInt(Math.floor(random() * (range + 1))));
  }
  const next = BigInt(value) + (after === 'increment' ? 1n : -1n);
  return exact(next > most ? most : next < least ? least : next);
}

const RANDOM = 2n ** 50n - 1n;

const exact = (value: bigint): JsonValue => exactInteger(String(value))!;
