/** Values between the graph, where whole numbers are bigint, and nodes, which take what their inputs declare. */
import type { Input } from '../nodes/kernel/inputs.ts';

/** As `run` gets it. Throws for a whole number that the node cannot hold. */
export function plainValue(input: Input<unknown, boolean> | undefined, value: unknown): unknown {
  if (typeof value !== 'bigint') {
    if (input?.type === 'INT' && typeof value === 'number')
      return input.exact ? BigInt(Math.trunc(value)) : Math.trunc(value);
    if (input?.type === 'INT' && typeof value === 'boolean')
      return input.exact ? BigInt(value) : Number(value);
    return value;
  }
  if (input?.exact || input?.type === '*') return value;
  if (input?.type === 'INT' || input?.type === 'FLOAT' || (input && typeof input.type === 'string'))
    return Number(value);
  return value;
}

/** As outputs are kept and passed on: whole numbers exact. */
export function keptValue(type: string | readonly string[], value: unknown): unknown {
  if (type === 'INT' && typeof value === 'number') return BigInt(Math.trunc(value));
  return value;
}
