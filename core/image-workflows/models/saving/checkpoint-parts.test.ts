import { expect, test } from 'vitest';
import type { StoredTensor } from '#core/tensors';
import { sd15Shapes } from '#test/support/model-files/sd15-shapes.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { elementCount } from '../../values/tensor.ts';
import { ldmAutoencoder } from '../families/autoencoders/ldm-autoencoder-names.ts';
import { originalTransformer } from '../families/joint-attention/original-transformer-weights.ts';
import { openClipText } from '../families/text-encoders/open-clip-names.ts';
import { ldmUnet } from '../families/unet/ldm-unet-names.ts';
import { type OriginalLayout, originalModules } from '../graphs/original-transformer-names.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { encoderParts, networkPart, trainingMarks, vaeParts } from './checkpoint-parts.ts';
import { openClipTensors } from './original-encoders.ts';
import { originalNetwork } from './original-networks.ts';
import { placeTensors } from './place-tensors.ts';
import type { SavedPart } from './saved-tensors.ts';
import { visionPart } from './vision-part.ts';

/** A table of half-precision tensors, one after the other. */
function tableOf(shapes: Readonly<Record<string, readonly number[]>>): WeightTable {
  let end = 0;
  return new Map(
    Object.entries(shapes).map(([name, shape]): [string, StoredTensor] => {
      const start = end;
      end += 2 * elementCount(shape);
      return [name, { file: 'x', type: 'F16', shape, start, end }];
    }),
  );
}

const graphOver = (table: WeightTable, used: WeightTable): ModelGraph =>
  ({ source: { stored: { files: [{ name: 'x', path: 'm/x' }], table, used } } }) as unknown as ModelGraph;
const modelOver = (table: WeightTable, configs?: object) =>
  ({
    network: { graph: graphOver(table, table) },
    family: { name: 'Stable Diffusion', encoders: ['sd1-l'] },
    configs,
  }) as unknown as DiffusionModel;
const clipOver = (table: WeightTable, used: WeightTable, name = 'l') =>
  ({ graphs: new Map([[name, graphOver(table, used)]]) }) as unknown as ClipModel;
const vaeOver = (table: WeightTable) =>
  ({ graphs: { decoder: graphOver(table, table), encoder: undefined } }) as unknown as VaeModel;

/** The shapes in the table of a saved file, by name. */
function saved(parts: readonly SavedPart[]): Record<string, readonly number[]> {
  const { head } = placeTensors(parts, {}, {});
  const table = JSON.parse(new TextDecoder().decode(head.subarray(8))) as Record<string, { shape: number[] }>;
  return Object.fromEntries(Object.entries(table).map(([name, { shape }]) => [name, shape]));
}

const shapes = sd15Shapes();
const all = tableOf(shapes);
const encoder = withoutPrefix(all, 'cond_stage_model.transformer.');

test('a checkpoint of Stable Diffusion 1.5 keeps all names and shapes', () => {
  const model = modelOver(all);
  const parts = [networkPart(model, true), ...encoderParts(clipOver(all, encoder), model)];
  expect(saved([...parts, ...vaeParts(vaeOver(all), 'Stable Diffusion')])).toEqual(shapes);
});

test('parts in the layouts of diffusers and transformers get the names of a checkpoint', () => {
  const unet = new Map(ldmUnet(withoutPrefix(all, 'model.diffusion_model.')));
  const vae = ldmAutoencoder(withoutPrefix(all, 'first_stage_model.'));
  const model = modelOver(unet);
  const parts = [networkPart(model, true), ...encoderParts(clipOver(encoder, encoder), model)];
  const tables = Object.fromEntries(Object.entries(shapes).filter(([name]) => !name.includes('.')));
  expect({ ...saved([...parts, ...vaeParts(vaeOver(vae), 'Stable Diffusion')]), ...tables }).toEqual(shapes);
});

test('the encoders of another kind of model are refused', () => {
  expect(() => encoderParts(clipOver(encoder, encoder, 'g'), modelOver(all))).toThrow(
    'the text encoders (g) are not those of Stable Diffusion (l)',
  );
});

test('parts are joined for OpenCLIP, and its projection is turned', () => {
  const layer = 'transformer.resblocks.0';
  const original = {
    positional_embedding: [77, 8],
    'token_embedding.weight': [9, 8],
    'ln_final.weight': [8],
    'ln_final.bias': [8],
    [`${layer}.ln_1.weight`]: [8],
    [`${layer}.attn.in_proj_weight`]: [24, 8],
    [`${layer}.attn.in_proj_bias`]: [24],
    [`${layer}.mlp.c_fc.weight`]: [32, 8],
    text_projection: [8, 4],
  };
  const table = tableOf(original);
  const turned = (weights: WeightTable) => {
    const tensors = openClipTensors(weights, '');
    return saved([{ stored: graphOver(table, table).source.stored!, graphs: [], tensors }]);
  };
  expect(turned(openClipText(table))).toEqual(original);
  const { isTransposed: _, ...matrix } = openClipText(table).get('text_projection.weight')!;
  const plain = new Map([...openClipText(table), ['text_projection.weight', { ...matrix, shape: [4, 8] }]]);
  expect(turned(plain)).toEqual(original);
});

test.each(['flux', 'ovis', 'sd3', 'auraflow'] as const)(
  '%s of diffusers gets its original names',
  (layout) => {
    const original = tableOf(transformerShapes(layout));
    const back = originalNetwork(originalTransformer(layout, original), '');
    expect(back.map(({ name }) => name).sort()).toEqual([...original.keys()].sort());
    for (const { name, shape, pieces } of back) {
      expect(shape, name).toEqual(original.get(name)!.shape);
      const { start, end } = original.get(name)!;
      const isLast = pieces.length === 2 && pieces[0]!.start > pieces[1]!.start;
      expect([...pieces].sort((a, b) => a.start - b.start)[0]!.start).toBe(start);
      expect(pieces.reduce((sum, piece) => sum + piece.end - piece.start, 0)).toBe(end - start);
      // The halves of the last norm change places.
      expect(isLast, name).toBe(/final_layer\.adaLN|modF|joint_blocks\.1\.context_block\.adaLN/.test(name));
    }
  },
);

test('the gated layers of Ovis-Image in diffusers are two in its original', () => {
  const names = [
    'timestep_embedder.linear_1',
    'transformer_blocks.0.ff.net.0.proj',
    'transformer_blocks.0.ff.net.2',
  ];
  const table = tableOf({
    'context_embedder_norm.weight': [4],
    ...Object.fromEntries(names.map((name) => [`${name}.weight`, [8, 4]])),
  });
  const saved = originalNetwork(table, 'p.').map(({ name, shape, pieces }) => [
    name,
    shape,
    pieces[0]!.start,
  ]);
  const { start, end } = table.get('transformer_blocks.0.ff.net.0.proj.weight')!;
  expect(saved).toContainEqual(['p.double_blocks.0.img_mlp.up_proj.weight', [4, 4], start]);
  expect(saved).toContainEqual(['p.double_blocks.0.img_mlp.gate_proj.weight', [4, 4], (start + end) / 2]);
  expect(saved.map(([name]) => name)).toEqual([
    'p.txt_norm.scale',
    'p.time_in.in_layer.weight',
    'p.double_blocks.0.img_mlp.gate_proj.weight',
    'p.double_blocks.0.img_mlp.up_proj.weight',
    'p.double_blocks.0.img_mlp.down_proj.weight',
  ]);
});

/** Small tensors for every module of a layout, with two blocks each; the last text of SD3 has no rest. */
function transformerShapes(layout: OriginalLayout): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const [original] of originalModules(layout))
    for (const number of original.includes('*') ? [0, 1] : ['']) {
      const name = original.replace('*', String(number));
      if (layout === 'sd3' && /blocks\.1\.context_block\.mlp/.test(name)) continue;
      if (/_norm$|norms\.\d$/.test(name)) found[`${name}.scale`] = [28];
      else if (/^(pos_embed|register_tokens|positional_encoding)$/.test(name)) found[name] = [1, 4, 28];
      else Object.assign(found, { [`${name}.weight`]: [84, 4], [`${name}.bias`]: [84] });
    }
  return found;
}

test('marks say how a network was trained', () => {
  expect(trainingMarks(modelOver(all))).toEqual({});
  const scheduler = { prediction_type: 'v_prediction', rescale_betas_zero_snr: true };
  expect(trainingMarks(modelOver(all, { scheduler }))).toEqual({ v_pred: [], ztsnr: [] });
  const edm = { _class_name: 'EDMEulerScheduler', prediction_type: 'v_prediction', sigma_max: 700 };
  expect(trainingMarks(modelOver(all, { scheduler: edm }))).toEqual({
    v_pred: [],
    'edm_vpred.sigma_max': [700],
    'edm_vpred.sigma_min': [0.002],
  });
});

test('a vision encoder gets the names of a checkpoint that images guide, once', () => {
  const own = tableOf({ 'vision_model.post_layernorm.weight': [4] });
  const name = 'conditioner.embedders.0.open_clip.model.visual.vision_model.post_layernorm.weight';
  expect(saved([visionPart(graphOver(own, own))])).toEqual({ [name]: [4] });
  const bundled = tableOf({ [name]: [4], 'model.other': [2] });
  expect(saved([visionPart(graphOver(bundled, own))])).toEqual({ [name]: [4] });
});
