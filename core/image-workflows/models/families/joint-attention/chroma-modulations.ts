import { add, concat, scaled, silu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { ModulationSource } from '../../layers/modulation.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';

const UNIT = 1000;

/**
 * Chroma computes the shifts, scales and gates of all its norms at once (the model card of lodestones/Chroma on Hugging
 * Face, "Modulation"). The inputs are the timestep and the number of each. Three of each single block come first. Six
 * for the image of each double block follow, then six for the text of each. The last two are the last norm's.
 */
export function chromaModulations(root: NetworkModule): ModulationSource {
  const doubles = root.list('transformer_blocks').length;
  const singles = root.list('single_transformer_blocks').length;
  const count = 3 * singles + 12 * doubles + 2;
  const all = approximator(root.at('distilled_guidance_layer'), count);
  const part = (m: NetworkModule, start: number, size: number) =>
    Array.from({ length: size }, (_, at) => slice(m, all, 1, start + at, start + at + 1));
  return (norm) => {
    if (norm.path === 'norm_out') return part(norm, count - 2, 2);
    const number = Number(/\d+/.exec(norm.path)?.[0]);
    if (norm.path.startsWith('single_')) return part(norm, 3 * number, 3);
    const isText = norm.path.endsWith('norm1_context');
    return part(norm, 3 * singles + 6 * (number + (isText ? doubles : 0)), 6);
  };
}

/** A residual network over the numbers of all modulations: [1, count, width]. */
function approximator(m: NetworkModule, count: number): Value {
  const [, inputs = 64] = m.at('in_proj').shape();
  const [half, quarter] = [inputs / 2, inputs / 4];
  const { graph } = m;
  const timestep = sinusoid(m.at('timestep'), scaled(m, 'timestep', UNIT), quarter);
  // The guidance scale is always 0.
  const guidance = sinusoid(m.at('guidance'), graph.floatInitializer('no_guidance', [1], [0]), quarter);
  const numbers = Float32Array.from({ length: count }, (_, at) => at * UNIT);
  const index = sinusoid(m.at('index'), graph.floatInitializer('modulation_numbers', [count], numbers), half);
  const shared = m.op('Expand', [concat(m, -1, timestep, guidance), graph.int64Initializer([count, half])]);
  let x = linear(
    m.at('in_proj'),
    m.op('Unsqueeze', [concat(m, -1, shared, index), graph.int64Initializer([0])]),
  );
  for (const [number, layer] of m.list('layers').entries()) {
    const normed = rmsNorm(m.at(`norms.${number}`), x);
    x = add(m, x, linear(layer.at('linear_2'), silu(layer, linear(layer.at('linear_1'), normed))));
  }
  return linear(m.at('out_proj'), x);
}
