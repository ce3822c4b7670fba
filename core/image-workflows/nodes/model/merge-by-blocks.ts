import { originalBlockNames } from '../../models/graphs/original-block-names.ts';
import { networkKind } from '../../models/networks/network-kind.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { mergeModels } from './merge-models.ts';

/**
 * Interpolates the weights of two models.
 * @param ratios Shares of `first` by prefixes of weight names, in the names of the model's authors. The longest matching
 *   prefix counts. A weight without a match uses the first ratio.
 */
export function mergeByBlocks(
  first: DiffusionModel,
  second: DiffusionModel,
  ratios: Readonly<Record<string, number>>,
): Promise<DiffusionModel> {
  const [[, otherwise] = ['', 1]] = Object.entries(ratios);
  const longestFirst = Object.entries(ratios).sort(([a], [b]) => b.length - a.length);
  return mergeModels(first, second, async (parameters, graph) => {
    const blockOf = originalBlockNames(await networkKind(graph), parameters);
    return (parameter) => {
      // Files of weights have the names of the authors already, of which some look like others of diffusers.
      const ratio =
        [blockOf(parameter), parameter]
          .map((name) => longestFirst.find(([start]) => name.startsWith(start))?.[1])
          .find((found) => found !== undefined) ?? otherwise;
      return { first: ratio, second: 1 - ratio };
    };
  });
}
