/** Inputs of transformers for the residuals of control nets. */
import type { ValueInfo } from '#core/tensors';
import { add } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

const nameOf = (index: number, kind: '' | 'single_') => `controlnet_${kind}block_samples_${index}`;

/**
 * One for each block: [batch, tokens, width], or a single zero. Those of single-stream blocks cover the text's tokens,
 * which come first, as well.
 */
export const residualInputs = (count: number, kind: '' | 'single_' = ''): ValueInfo[] =>
  Array.from({ length: count }, (_, index) => ({
    name: nameOf(index, kind),
    type: 'float32',
    shape: [
      `residual ${kind}${index} batch`,
      `residual ${kind}${index} tokens`,
      `residual ${kind}${index} width`,
    ],
  }));

/** Adds the residual of a block to what the block returns. */
export const addResidual = (root: NetworkModule, x: Value, index: number, kind: '' | 'single_' = ''): Value =>
  add(root, x, nameOf(index, kind));
