/** Merging block by block. Each architecture has a node with a ratio for each of its blocks. */
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { mergeByBlocks } from './merge-by-blocks.ts';
import { mergeRatio } from './merging.ts';

const numbered = (start: string, count: number, end = '.'): string[] =>
  Array.from({ length: count }, (_, index) => `${start}${index}${end}`);

const sd1 = [
  'time_embed.',
  'label_emb.',
  ...numbered('input_blocks.', 12),
  ...numbered('middle_block.', 3),
  ...numbered('output_blocks.', 12),
  'out.',
];
const sd3 = (blocks: number) => [
  'pos_embed.',
  'x_embedder.',
  'context_embedder.',
  'y_embedder.',
  't_embedder.',
  ...numbered('joint_blocks.', blocks),
  'final_layer.',
];

const cosmosPredict2 = (blocks: number) => [
  'pos_embedder.',
  'x_embedder.',
  't_embedder.',
  't_embedding_norm.',
  ...numbered('blocks.', blocks),
  'final_layer.',
];

const cosmos1 = (blocks: number) => [
  'pos_embedder.',
  'extra_pos_embedder.',
  'x_embedder.',
  't_embedder.',
  'affline_norm.',
  ...numbered('blocks.block', blocks),
  'final_layer.',
];

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  ModelMergeSD1: sd1,
  ModelMergeSD2: sd1,
  ModelMergeSDXL: [
    'time_embed.',
    'label_emb.',
    ...numbered('input_blocks.', 9, ''),
    ...numbered('middle_block.', 3, ''),
    ...numbered('output_blocks.', 9, ''),
    'out.',
  ],
  ModelMergeSD3_2B: sd3(24),
  ModelMergeSD35_Large: sd3(38),
  ModelMergeFlux1: [
    'img_in.',
    'time_in.',
    'guidance_in',
    'vector_in.',
    'txt_in.',
    ...numbered('double_blocks.', 19),
    ...numbered('single_blocks.', 38),
    'final_layer.',
  ],
  ModelMergeAuraflow: [
    'init_x_linear.',
    'positional_encoding',
    'cond_seq_linear.',
    'register_tokens',
    't_embedder.',
    ...numbered('double_layers.', 4),
    ...numbered('single_layers.', 32),
    'modF.',
    'final_linear.',
  ],
  ModelMergeMochiPreview: [
    'pos_frequencies.',
    't_embedder.',
    't5_y_embedder.',
    't5_yproj.',
    ...numbered('blocks.', 48),
    'final_layer.',
  ],
  ModelMergeLTXV: [
    'patchify_proj.',
    'adaln_single.',
    'caption_projection.',
    ...numbered('transformer_blocks.', 28),
    'scale_shift_table',
    'proj_out.',
  ],
  ModelMergeWAN2_1: [
    'patch_embedding.',
    'time_embedding.',
    'time_projection.',
    'text_embedding.',
    'img_emb.',
    ...numbered('blocks.', 40),
    'head.',
  ],
  ModelMergeCosmos7B: cosmos1(28),
  ModelMergeCosmos14B: cosmos1(36),
  ModelMergeCosmosPredict2_2B: cosmosPredict2(28),
  ModelMergeCosmosPredict2_14B: cosmosPredict2(36),
  ModelMergeQwenImage: [
    'pos_embeds.',
    'img_in.',
    'txt_norm.',
    'txt_in.',
    'time_text_embed.',
    ...numbered('transformer_blocks.', 60),
    'proj_out.',
  ],
};

/** Networks of Cosmos 1 have the names of Cosmos Predict2 here. */
const nameHere = (block: string): string =>
  block.replace(/^blocks\.block(\d+)/, 'blocks.$1').replace('affline_norm', 't_embedding_norm');

export const architectureMergingNodes: AnyNode[] = Object.entries(BLOCKS).map(([name, blocks]) =>
  node({
    name,
    displayName: name,
    category: 'advanced/model_merging/model_specific',
    module: 'comfy_extras.nodes_model_merging_model_specific',
    description:
      'Interpolates the weights of two models with a ratio for each block: at 1 the result is the first model, at 0 the second. Weights outside of all blocks use the first ratio.',
    inputs: {
      model1: link('MODEL', undefined),
      model2: link('MODEL', undefined),
      ...Object.fromEntries(blocks.map((block) => [block, mergeRatio()])),
    },
    outputs: [output('MODEL')],
    async run(values) {
      const { model1, model2 } = values as unknown as Record<'model1' | 'model2', DiffusionModel>;
      const ratios = Object.fromEntries(
        blocks.map((block) => [nameHere(block), (values as unknown as Record<string, number>)[block]!]),
      );
      return [await mergeByBlocks(model1, model2, ratios)];
    },
  }),
);
