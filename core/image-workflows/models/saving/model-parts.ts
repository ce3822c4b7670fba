/** Adds the parts of a model to a writer, in the layout of diffusers. */
import type { FilePath, Files } from '#core/host';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel, ModelConfigs } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { JsonConfig, ModelGraph } from '../../values/model-graph.ts';
import type { NetworkKind } from '../../values/network.ts';
import type { ModelWriter } from './model-writer.ts';

const TOKENIZER_FILES = [
  'vocab.json',
  'merges.txt',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
];

/** @throws when the model has no files. */
export function requireSavable({ network, configs }: DiffusionModel): {
  graph: ModelGraph;
  configs: ModelConfigs;
} {
  if (!network.graph || !configs)
    throw new Error('this model has no weights of its own that could be saved: connect one from a loader');
  return { graph: network.graph, configs };
}

/** The network's graph makes the folder a model, so it must be the last graph that is added. */
export function addNetwork(writer: ModelWriter, model: DiffusionModel, part: string): void {
  const { graph, configs } = requireSavable(model);
  writer.json(part === '' ? 'config.json' : `${part}/config.json`, configs.config);
  writer.json(part === '' ? 'scheduler_config.json' : 'scheduler/scheduler_config.json', configs.scheduler);
  // The scale of latents is a part of the VAE's configuration. The VAE itself is not saved here.
  if (part === '') writer.json('vae/config.json', latentConfig(model));
  writer.graph(graph, part);
}

export const latentConfig = ({ latent }: DiffusionModel): JsonConfig => ({
  latent_channels: latent.channels,
  scaling_factor: latent.scaleFactor,
  shift_factor: latent.shiftFactor,
});

/** Adds a text encoder with its tokenizer. */
export async function addEncoder(
  writer: ModelWriter,
  files: Files,
  clip: ClipModel,
  name: string,
  { part, tokenizer }: { part: string; tokenizer: string },
): Promise<void> {
  const graph = clip.graphs.get(name);
  const from = clip.tokenizers?.get(name);
  if (!graph || from === undefined)
    throw new Error(`the text encoder ${name} has no files that could be saved: connect one from a loader`);
  const config = `${await folderOf(graph)}/config.json`;
  const target = part === '' ? 'config.json' : `${part}/config.json`;
  if ((await files.stat(config))?.kind === 'file') writer.copy(config, target);
  else writer.json(target, CONFIGS[name] ?? {});
  for (const file of TOKENIZER_FILES)
    if ((await files.stat(`${from}/${file}`))?.kind === 'file')
      writer.copy(`${from}/${file}`, `${tokenizer}/${file}`);
  writer.graph(graph, part);
}

/** Minimal configurations by which encoders without a `config.json` are recognized later. */
const CONFIGS: Readonly<Record<string, JsonConfig>> = {
  l: { model_type: 'clip_text_model', hidden_size: 768 },
  g: { model_type: 'clip_text_model', hidden_size: 1280 },
  t5xxl: { model_type: 't5' },
};

/** @param config fields of the model's latents, which override the VAE's own. */
export function addVae(writer: ModelWriter, { graphs: parts }: VaeModel, config: JsonConfig = {}): void {
  if (!parts)
    throw new Error(
      'this VAE has no weights that could be saved: connect one of a checkpoint or of VAELoader, other than pixel_space',
    );
  const { decoder, encoder } = parts;
  writer.json('vae_decoder/config.json', { ...parts.config, ...config });
  if (encoder) writer.graph(encoder, 'vae_encoder');
  writer.graph(decoder, 'vae_decoder');
}

/** The encoders of each kind of network, in the order of their folders. */
const ENCODERS: Readonly<Record<NetworkKind, readonly (readonly [name: string, isOptional: boolean])[]>> = {
  sd: [['l', false]],
  sdxl: [
    ['l', true],
    ['g', false],
  ],
  sd3: [
    ['l', false],
    ['g', false],
    ['t5xxl', true],
  ],
  flux: [
    ['l', false],
    ['t5xxl', false],
  ],
};

const PIPELINES: Readonly<Record<NetworkKind, string>> = {
  sd: 'StableDiffusionPipeline',
  sdxl: 'StableDiffusionXLPipeline',
  sd3: 'StableDiffusion3Pipeline',
  flux: 'FluxPipeline',
};

/** The folder of the network. */
const networkPart = (kind: NetworkKind): string =>
  kind === 'sd3' || kind === 'flux' ? 'transformer' : 'unet';

/** Adds all parts of a checkpoint. Rejects for text encoders of another kind of model. */
export async function addCheckpoint(
  writer: ModelWriter,
  files: Files,
  { model, clip, vae }: { model: DiffusionModel; clip: ClipModel; vae: VaeModel },
): Promise<void> {
  const { configs } = requireSavable(model);
  const { kind } = configs;
  const expected = ENCODERS[kind];
  const present = [...clip.graphs.keys()];
  const isMissing = expected.some(([name, isOptional]) => !isOptional && !present.includes(name));
  if (isMissing || present.some((name) => !expected.some(([other]) => other === name)))
    throw new Error(
      `the text encoders (${present.join(', ')}) are not those of a model of this kind (${expected.map(([name]) => name).join(', ')}): connect those that it runs with, or save the parts separately`,
    );
  const components: JsonConfig = {};
  for (const [index, [name]] of expected.entries()) {
    if (!present.includes(name)) continue;
    const suffix = index === 0 ? '' : `_${index + 1}`;
    const part = `text_encoder${suffix}`;
    const isT5 = name === 't5xxl';
    const withProjection = kind === 'sd3' || name === 'g' ? 'CLIPTextModelWithProjection' : 'CLIPTextModel';
    components[part] = ['transformers', isT5 ? 'T5EncoderModel' : withProjection];
    components[`tokenizer${suffix}`] = ['transformers', isT5 ? 'T5TokenizerFast' : 'CLIPTokenizer'];
    await addEncoder(writer, files, clip, name, { part, tokenizer: `tokenizer${suffix}` });
  }
  // The scale of the latents is that of the network, with any VAE.
  addVae(writer, vae, latentConfig(model));
  const part = networkPart(kind);
  const { _class_name: scheduler } = configs.scheduler;
  writer.json('model_index.json', {
    _class_name: PIPELINES[kind],
    ...components,
    scheduler: ['diffusers', typeof scheduler === 'string' ? scheduler : 'EulerDiscreteScheduler'],
    [part]: ['diffusers', part === 'unet' ? 'UNet2DConditionModel' : transformerOf(kind)],
    vae: ['diffusers', 'AutoencoderKL'],
  });
  addNetwork(writer, model, part);
}

const transformerOf = (kind: NetworkKind): string =>
  kind === 'sd3' ? 'SD3Transformer2DModel' : 'FluxTransformer2DModel';

async function folderOf({ source }: ModelGraph): Promise<FilePath> {
  const graph = (await source.parts()).find(({ role }) => role === 'weights')!;
  if ('bytes' in graph)
    throw new Error(`a model from a single file (${graph.name}) cannot be saved: copy the file instead`);
  const { path } = graph;
  return path.slice(0, path.lastIndexOf('/'));
}
