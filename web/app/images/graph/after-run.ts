import type { AfterRun } from '../../graph-editor/graph/graph.ts';
import type { JsonValue } from '../../graph-editor/graph/value.ts';
import { exactInteger } from '../../graph-editor/graph/value.ts';
import type { Widget } from '../../graph-editor/nodes/node-kind.ts';

/** The value of a seed for the next run. Random seeds have at most 50 bits, which a double represents exactly. */
export function valueAfterRun(
  value: JsonValue,
  after: AfterRun,
  { min = 0, max = MAX_RANDOM }: Extract<Widget, { kind: 'integer' }>,
  random: () => number = Math.random,
): JsonValue {
  if (after === 'fixed' || (typeof value !== 'number' && typeof value !== 'bigint')) return value;
  const [least, most] = [BigInt(min), BigInt(max)];
  if (after === 'randomize') {
    const low = least < 0n ? 0n : least;
    const range = most - low < MAX_RANDOM ? Number(most - low) : Number(MAX_RANDOM);
    return exact(low + BigInt(Math.floor(random() * (range + 1))));
  }
  const next = BigInt(value) + (after === 'increment' ? 1n : -1n);
  return exact(next > most ? most : next < least ? least : next);
}

const MAX_RANDOM = 2n ** 50n - 1n;

const exact = (value: bigint): JsonValue => exactInteger(String(value))!;
