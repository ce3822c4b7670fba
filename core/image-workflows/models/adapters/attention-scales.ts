/** Multiplies the matrices and biases of attention modules by constant factors. */
import type { ModelGraph } from '../../values/model-graph.ts';
import { networkParameters } from '../graphs/network-parameters.ts';

/** Factors for the projections to queries, keys and values, and for the output projection. */
export interface AttentionScales {
  q: number;
  k: number;
  v: number;
  out: number;
}

/** The names of the projections in networks (`to_q`) and in text encoders (`q_proj`). */
const PROJECTION = /^(.+)\.(?:to_(q|k|v)|(q|k|v)_proj|to_(out)\.0|(out)_proj)\.(?:weight|bias)$/;

/**
 * Scales the attention modules whose names in diffusers match. A graph without them is returned unchanged. Rejects when
 * the graph does not name its weights.
 */
export async function scaleAttention(
  graph: ModelGraph,
  attention: RegExp,
  scales: Partial<AttentionScales>,
): Promise<ModelGraph> {
  const weights = [...networkParameters(await graph.source.outline())].flatMap(([name, { constant }]) => {
    const [, module, ...projections] = PROJECTION.exec(name) ?? [];
    const factor = scales[projections.find(Boolean) as keyof AttentionScales] ?? 1;
    if (!module || factor === 1 || !attention.test(module)) return [];
    return [
      {
        name: constant,
        change: async (numbers: Float32Array) => {
          for (let i = 0; i < numbers.length; i++) numbers[i]! *= factor;
        },
      },
    ];
  });
  return weights.length === 0 ? graph : graph.withChange({ key: 'attention scaled', weights });
}
