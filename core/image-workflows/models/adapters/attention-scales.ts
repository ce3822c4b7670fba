import type { ModelGraph } from '../../values/model-graph.ts';
import { networkParameters } from '../graphs/network-parameters.ts';

/** Factors of the matrices and biases of an attention. */
export interface AttentionScales {
  q: number;
  k: number;
  v: number;
  out: number;
}

/** As networks and text encoders call them, with what follows the attention's own name. */
const PART = /^(.+)\.(?:to_(q|k|v)|(q|k|v)_proj|to_(out)\.0|(out)_proj)\.(?:weight|bias)$/;

/**
 * `attention`: which modules, by their names in diffusers. Throws where weights are not told by name; a graph that has none
 * of these stays as it is.
 */
export async function scaleAttention(
  graph: ModelGraph,
  attention: RegExp,
  scales: Partial<AttentionScales>,
): Promise<ModelGraph> {
  const weights = [...networkParameters(await graph.source.outline())].flatMap(
    ([name, { constant: value }]) => {
      const [, module, ...parts] = PART.exec(name) ?? [];
      const factor = scales[parts.find(Boolean) as keyof AttentionScales] ?? 1;
      if (!module || factor === 1 || !attention.test(module)) return [];
      return [
        {
          name: value,
          change: async (numbers: Float32Array) => {
            for (let i = 0; i < numbers.length; i++) numbers[i]! *= factor;
          },
        },
      ];
    },
  );
  return weights.length === 0 ? graph : graph.withChange({ key: 'attention scaled', weights });
}
