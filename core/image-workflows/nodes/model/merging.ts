/** Models whose weights are made of those of two; the weights are worked out when the merged model is first used. */
import { type MergeWeights, mergeGraphs } from '../../models/graphs/merge-graphs.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { mergeByBlocks } from './merge-by-blocks.ts';
import { mergeModels } from './merge-models.ts';

const shared = { category: 'advanced/model_merging', module: 'comfy_extras.nodes_model_merging' } as const;
const model = () => link('MODEL', undefined);
const clip = () => link('CLIP', undefined);
export const mergeRatio = () => float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 });
const multiplier = () => float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 });

const SIMPLE = (ratio: number): MergeWeights => ({ first: ratio, second: 1 - ratio });
const SUBTRACT = (multiplier: number): MergeWeights => ({ first: multiplier, second: -multiplier });
const ADD: MergeWeights = { first: 1, second: 1 };

const mergedModels = async (
  first: DiffusionModel,
  second: DiffusionModel,
  shares: MergeWeights,
): Promise<[DiffusionModel]> => [await mergeModels(first, second, () => () => shares)];

/** Encoder by encoder of one kind; those that only the first has stay. */
async function mergedClips(first: ClipModel, second: ClipModel, shares: MergeWeights): Promise<[ClipModel]> {
  const merged = new Map(first.graphs);
  const common = [...first.graphs].filter(([name]) => second.graphs.has(name));
  if (common.length === 0)
    throw new Error(
      `these text encoders have nothing in common (${[...first.graphs.keys()].join(', ')} and ${[...second.graphs.keys()].join(', ')}): merge those of models of one kind`,
    );
  for (const [name, graph] of common)
    merged.set(name, await mergeGraphs(graph, second.graphs.get(name)!, 'text encoders', () => () => shares));
  return [first.withGraphs(merged)];
}

const modelMergeSimple = node({
  ...shared,
  name: 'ModelMergeSimple',
  displayName: 'ModelMergeSimple',
  description: 'Weights between those of two models: at 1 the first one, at 0 the second.',
  inputs: { model1: model(), model2: model(), ratio: mergeRatio() },
  outputs: [output('MODEL')],
  run: ({ model1, model2, ratio }) => mergedModels(model1, model2, SIMPLE(ratio)),
});

const modelMergeSubtract = node({
  ...shared,
  name: 'ModelMergeSubtract',
  displayName: 'ModelMergeSubtract',
  description: 'What the first model has more than the second, times a number: for ModelMergeAdd.',
  inputs: { model1: model(), model2: model(), multiplier: multiplier() },
  outputs: [output('MODEL')],
  run: ({ model1, model2, multiplier }) => mergedModels(model1, model2, SUBTRACT(multiplier)),
});

const modelMergeAdd = node({
  ...shared,
  name: 'ModelMergeAdd',
  displayName: 'ModelMergeAdd',
  description: 'The sum of the weights of two models, one of which is a difference.',
  inputs: { model1: model(), model2: model() },
  outputs: [output('MODEL')],
  run: ({ model1, model2 }) => mergedModels(model1, model2, ADD),
});

const modelMergeBlocks = node({
  ...shared,
  name: 'ModelMergeBlocks',
  displayName: 'ModelMergeBlocks',
  description:
    'Weights between those of two models, for each side of a UNet by a ratio of its own: at 1 the first one, at 0 the second. What is in none of them goes by the first ratio.',
  inputs: { model1: model(), model2: model(), input: mergeRatio(), middle: mergeRatio(), out: mergeRatio() },
  outputs: [output('MODEL')],
  run: async ({ model1, model2, ...ratios }) => [await mergeByBlocks(model1, model2, ratios)],
});

const clipMergeSimple = node({
  ...shared,
  name: 'CLIPMergeSimple',
  displayName: 'CLIPMergeSimple',
  description: 'Weights between those of two text encoders: at 1 the first one, at 0 the second.',
  inputs: { clip1: clip(), clip2: clip(), ratio: mergeRatio() },
  outputs: [output('CLIP')],
  run: ({ clip1, clip2, ratio }) => mergedClips(clip1, clip2, SIMPLE(ratio)),
});

const clipMergeSubtract = node({
  ...shared,
  name: 'CLIPMergeSubtract',
  displayName: 'CLIPMergeSubtract',
  description: 'What the first text encoder has more than the second, times a number: for CLIPMergeAdd.',
  inputs: { clip1: clip(), clip2: clip(), multiplier: multiplier() },
  outputs: [output('CLIP')],
  run: ({ clip1, clip2, multiplier }) => mergedClips(clip1, clip2, SUBTRACT(multiplier)),
});

const clipMergeAdd = node({
  ...shared,
  name: 'CLIPMergeAdd',
  displayName: 'CLIPMergeAdd',
  description: 'The sum of the weights of two text encoders, one of which is a difference.',
  inputs: { clip1: clip(), clip2: clip() },
  outputs: [output('CLIP')],
  run: ({ clip1, clip2 }) => mergedClips(clip1, clip2, ADD),
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
