import { silu, transpose } from '../../layers/elementary.ts';
import { plainNorm } from '../../layers/modulation.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { kernelLength, sequenceConvolution } from '../../layers/sequence-convolution.ts';

const EPSILON = 1e-6;
/** The second and the third layer halve the steps. */
const LATER = ['conv2', 'conv3'] as const;

export interface CausalStepsOptions {
  /** The name of the first layer. */
  first: string;
  /** The first layer makes so many sequences of each, and the later layers see each alone. */
  heads: number;
}

/**
 * Three convolutions over steps that see no later step, each with a norm and SiLU: [batch, steps, width] to
 * [batch · heads, steps / 4, width]. The first step stands for those before it.
 */
export function causalSteps(m: NetworkModule, x: Value, { first, heads }: CausalStepsOptions): Value {
  const { graph } = m;
  const [width = 1] = m.at(first).at('conv').shape();
  const wide = causal(m.at(first).at('conv'), transpose(m, x, 0, 2, 1), 1);
  const time = m.op('Slice', [
    m.op('Shape', [wide]),
    graph.int64Initializer([2]),
    graph.int64Initializer([3]),
  ]);
  const sides = m.op('Concat', [graph.int64Initializer([-1, width / heads]), time], { axis: 0 });
  let steps = normed(m, m.op('Reshape', [wide, sides]), width / heads);
  for (const name of LATER) {
    const layer = m.at(name).at('conv');
    steps = normed(m, causal(layer, transpose(m, steps, 0, 2, 1), 2), layer.shape()[0]!);
  }
  return steps;
}

/** [batch, channels, steps] to [batch, steps, channels]. */
const normed = (m: NetworkModule, x: Value, width: number): Value =>
  silu(m, plainNorm(m, transpose(m, x, 0, 2, 1), width, EPSILON));

function causal(m: NetworkModule, x: Value, stride: number): Value {
  const before = kernelLength(m) - 1;
  const pads = m.graph.int64Initializer([0, 0, before, 0, 0, 0]);
  return sequenceConvolution(m, m.op('Pad', [x, pads], { mode: 'edge' }), { stride });
}
