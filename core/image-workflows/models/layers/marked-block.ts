import type { NetworkModule, Value } from './network-module.ts';

/** The names of the modules whose only node passes the stream on. */
export const BLOCK_INPUT = 'block_input';
export const BLOCK_OUTPUT = 'block_output';

/** A block whose stream patches find by nodes before and after it. */
export function markedBlock(m: NetworkModule, x: Value, block: (x: Value) => Value): Value {
  const before = m.at(BLOCK_INPUT).op('Identity', [x]);
  return m.at(BLOCK_OUTPUT).op('Identity', [block(before)]);
}
