import type { NetworkModule, Value } from './network-module.ts';

/**
 * The rows of the table `weight` for token ids, as 32-bit floats: [batch, tokens] to [batch, tokens, width]. Only the
 * rows of the prompt's tokens are converted.
 */
export function tokenEmbedding(m: NetworkModule, ids: Value): Value {
  const { graph } = m;
  const weight = `${m.path}.weight`;
  return graph.storedFloats(weight, m.op('Gather', [graph.externalInitializer(weight), ids]));
}

/** 0, 1, 2, … for as many tokens as [batch, tokens] has: int64 [tokens]. */
export function tokenPositions(m: NetworkModule, ids: Value): Value {
  const { graph } = m;
  const count = m.op('Gather', [m.op('Shape', [ids]), graph.int64Initializer([1], true)]);
  return m.op('Range', [graph.int64Initializer([0], true), count, graph.int64Initializer([1], true)]);
}

/** Added to the scores of tokens that are not seen: far below all scores, and finite. */
export const HIDDEN_SCORE = -1e9;

/** The scores that hide tokens whose `attention_mask` is 0: int64 [batch, tokens] to floats [batch, 1, 1, tokens]. */
export function hiddenTokens(m: NetworkModule, mask: Value): Value {
  const { graph } = m;
  const isHidden = m.op('Equal', [mask, graph.int64Initializer([0], true)]);
  const scores = m.op('Where', [isHidden, graph.scalarInitializer(HIDDEN_SCORE), graph.scalarInitializer(0)]);
  return m.op('Unsqueeze', [scores, graph.int64Initializer([1, 2])]);
}
