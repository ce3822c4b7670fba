import { add, reshape } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** The convolution of patches that do not overlap is a product: [batch, …, features] to [batch, …, width]. */
export function patchTokens(m: NetworkModule, patches: Value): Value {
  const [width = 0, ...sides] = m.shape();
  const features = sides.reduce((product, side) => product * side, 1);
  const matrix = m.op('Transpose', [reshape(m, m.parameter(), width, features)], { perm: [1, 0] });
  return add(m, m.op('MatMul', [patches, matrix]), m.parameter('bias'));
}

/** The features of a patch. */
export const patchFeatures = (m: NetworkModule): number =>
  m
    .shape()
    .slice(1)
    .reduce((product, side) => product * side, 1);
