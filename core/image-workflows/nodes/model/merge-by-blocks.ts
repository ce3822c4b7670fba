import { originalBlockNames } from '../../models/graphs/original-block-names.ts';
import { networkKind } from '../../models/networks/network-kind.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { mergeModels } from './merge-models.ts';

/**
 * `ratios`: how much of the first, by how the first authors' names of weights begin. The longest that fits counts; where none
 * does, the first of them.
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
      const block = blockOf(parameter);
      const ratio = longestFirst.find(([start]) => block.startsWith(start))?.[1] ?? otherwise;
      return { first: ratio, second: 1 - ratio };
    };
  });
}
