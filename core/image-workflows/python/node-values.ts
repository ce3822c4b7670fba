/** Numbers on their way between a graph, which holds integers as bigint, and nodes, which receive what they declare. */

/** The part of a node's input declaration that decides how numbers reach the node. */
export interface NumberInput {
  readonly type: unknown;
  /** `run` receives an INT as a bigint. */
  readonly exact?: boolean;
}

/** A value of the graph, or another node's output, as `run` receives it. */
export function toInputValue(input: NumberInput | undefined, value: unknown): unknown {
  if (typeof value !== 'bigint') {
    if (input?.type === 'INT' && typeof value === 'number')
      return input.exact ? BigInt(Math.trunc(value)) : Math.trunc(value);
    if (input?.type === 'INT' && typeof value === 'boolean')
      return input.exact ? BigInt(value) : Number(value);
    return value;
  }
  const isExact = input?.exact || input?.type === '*' || input?.type === 'COMFY_MATCHTYPE_V3';
  return !isExact && typeof input?.type === 'string' ? Number(value) : value;
}

/** A node's output as it is stored and passed on: integers are exact. */
export function toOutputValue(type: string | readonly string[], value: unknown): unknown {
  if (type === 'INT' && typeof value === 'number') return BigInt(Math.trunc(value));
  return value;
}
