/** Nodes that merge the weights of two models. The weights are computed when the merged model is first used. */
import { type MergeWeights, mergeGraphs } from '../../models/graphs/merge-graphs.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { float, type Input, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { mergeByBlocks } from './merge-by-blocks.ts';
import { mergeModels } from './merge-models.ts';

const shared = { category: 'advanced/model_merging', module: 'comfy_extras.nodes_model_merging' } as const;
const model = () => link('MODEL', undefined);
const clip = () => link('CLIP', undefined);
export const mergeRatio = (): Input<number> => fraction(1.0, 0.01);
const multiplier = () => float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 });

const interpolation = (ratio: number): MergeWeights => ({ first: ratio, second: 1 - ratio });
const difference = (multiplier: number): MergeWeights => ({ first: multiplier, second: -multiplier });
const SUM: MergeWeights = { first: 1, second: 1 };

const mergeDiffusionModels = async (
  first: DiffusionModel,
  second: DiffusionModel,
  shares: MergeWeights,
): Promise<[DiffusionModel]> => [await mergeModels(first, second, () => () => shares)];

/** Merges the encoders that both have. Encoders of `first` alone stay unchanged. Rejects when there is no common one. */
async function mergeClips(first: ClipModel, second: ClipModel, shares: MergeWeights): Promise<[ClipModel]> {
  const merged = new Map(first.graphs);
  const common = [...first.graphs].filter(([name]) => second.graphs.has(name));
  if (common.length === 0)
    throw new Error(
      `these text encoders have nothing in common (${[...first.graphs.keys()].join(', ')} and ${[...second.graphs.keys()].join(', ')}): merge encoders of the same kind of model`,
    );
  for (const [name, graph] of common)
    merged.set(name, await mergeGraphs(graph, second.graphs.get(name)!, 'text encoders', () => () => shares));
  return [first.withGraphs(merged)];
}

const modelMergeSimple = node({
  ...shared,
  name: 'ModelMergeSimple',
  displayName: 'ModelMergeSimple',
  description: 'Interpolates the weights of two models: at 1 the result is the first model, at 0 the second.',
  inputs: { model1: model(), model2: model(), ratio: mergeRatio() },
  outputs: [output('MODEL')],
  run: ({ model1, model2, ratio }) => mergeDiffusionModels(model1, model2, interpolation(ratio)),
});

const modelMergeSubtract = node({
  ...shared,
  name: 'ModelMergeSubtract',
  displayName: 'ModelMergeSubtract',
  description: 'Subtracts the weights of the second model from the first, times a number: for ModelMergeAdd.',
  inputs: { model1: model(), model2: model(), multiplier: multiplier() },
  outputs: [output('MODEL')],
  run: ({ model1, model2, multiplier }) => mergeDiffusionModels(model1, model2, difference(multiplier)),
});

const modelMergeAdd = node({
  ...shared,
  name: 'ModelMergeAdd',
  displayName: 'ModelMergeAdd',
  description: 'Adds the weights of two models, one of which is a difference.',
  inputs: { model1: model(), model2: model() },
  outputs: [output('MODEL')],
  run: ({ model1, model2 }) => mergeDiffusionModels(model1, model2, SUM),
});

const modelMergeBlocks = node({
  ...shared,
  name: 'ModelMergeBlocks',
  displayName: 'ModelMergeBlocks',
  description:
    'Interpolates the weights of two models with a ratio for each part of a UNet: at 1 the result is the first model, at 0 the second. Weights outside of all parts use the first ratio.',
  inputs: { model1: model(), model2: model(), input: mergeRatio(), middle: mergeRatio(), out: mergeRatio() },
  outputs: [output('MODEL')],
  run: async ({ model1, model2, ...ratios }) => [await mergeByBlocks(model1, model2, ratios)],
});

const clipMergeSimple = node({
  ...shared,
  name: 'CLIPMergeSimple',
  displayName: 'CLIPMergeSimple',
  description:
    'Interpolates the weights of two text encoders: at 1 the result is the first, at 0 the second.',
  inputs: { clip1: clip(), clip2: clip(), ratio: mergeRatio() },
  outputs: [output('CLIP')],
  run: ({ clip1, clip2, ratio }) => mergeClips(clip1, clip2, interpolation(ratio)),
});

const clipMergeSubtract = node({
  ...shared,
  name: 'CLIPMergeSubtract',
  displayName: 'CLIPMergeSubtract',
  description:
    'Subtracts the weights of the second text encoder from the first, times a number: for CLIPMergeAdd.',
  inputs: { clip1: clip(), clip2: clip(), multiplier: multiplier() },
  outputs: [output('CLIP')],
  run: ({ clip1, clip2, multiplier }) => mergeClips(clip1, clip2, difference(multiplier)),
});

const clipMergeAdd = node({
  ...shared,
  name: 'CLIPMergeAdd',
  displayName: 'CLIPMergeAdd',
  description: 'Adds the weights of two text encoders, one of which is a difference.',
  inputs: { clip1: clip(), clip2: clip() },
  outputs: [output('CLIP')],
  run: ({ clip1, clip2 }) => mergeClips(clip1, clip2, SUM),
});

export const modelMergingNodes: AnyNode[] = [
  modelMergeSimple,
  modelMergeBlocks,
  modelMergeSubtract,
  modelMergeAdd,
  clipMergeSimple,
  clipMergeSubtract,
  clipMergeAdd,
];
