/** Outputs of control nets of transformers. */
import type { ValueInfo } from '#core/tensors';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

const KINDS = { double: 'controlnet_block_samples', single: 'controlnet_single_block_samples' } as const;

/**
 * The outputs for what the blocks return, each after a projection: `controlnet_block_samples_0`, ….
 * @param projections one for each block, of [batch, tokens, width]
 */
export function controlSamples(
  projections: readonly NetworkModule[],
  values: readonly Value[],
  kind: keyof typeof KINDS = 'double',
): ValueInfo[] {
  return projections.map((m, index) => {
    const name = `${KINDS[kind]}_${index}`;
    m.graph.node('Identity', [linear(m, values[index]!)], {}, name);
    return { name, type: 'float32', shape: ['batch', 'samples', m.shape()[0]!] };
  });
}
