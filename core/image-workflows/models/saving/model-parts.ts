/** What the folders of saved models hold, in the layout of diffusers. */
import type { FilePath, Files } from '#core/host';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel, ModelConfigs } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { JsonObject, ModelGraph } from '../../values/model-graph.ts';
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

/** Throws where the model has no files. */
export function requireSavable({ network, configs: facts }: DiffusionModel): {
  graph: ModelGraph;
  facts: ModelConfigs;
} {
  if (!network.graph || !facts)
    throw new Error(
      'this model has no weights of its own that could be saved: connect one that a loader gave',
    );
  return { graph: network.graph, facts };
}

/** What the network is told by has to be the last graph that is added. */
export function addNetwork(writer: ModelWriter, model: DiffusionModel, part: string): void {
  const { graph, facts } = requireSavable(model);
  writer.json(part === '' ? 'config.json' : `${part}/config.json`, facts.config);
  writer.json(part === '' ? 'scheduler_config.json' : 'scheduler/scheduler_config.json', facts.scheduler);
  // How latents are scaled stands with the autoencoder, which is not among these files.
  if (part === '') writer.json('vae/config.json', latentConfig(model));
  writer.graph(graph, part);
}

export const latentConfig = ({ latent }: DiffusionModel): JsonObject => ({
  latent_channels: latent.channels,
  scaling_factor: latent.scaleFactor,
  shift_factor: latent.shiftFactor,
});

/** One text encoder with its tokenizer. */
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
    throw new Error(
      `the text encoder ${name} has no files that could be saved: connect one that a loader gave`,
    );
  const config = `${await folderOf(graph)}/config.json`;
  const target = part === '' ? 'config.json' : `${part}/config.json`;
  if ((await files.stat(config))?.kind === 'file') writer.copy(config, target);
  else writer.json(target, CONFIGS[name] ?? {});
  for (const file of TOKENIZER_FILES)
    if ((await files.stat(`${from}/${file}`))?.kind === 'file')
      writer.copy(`${from}/${file}`, `${tokenizer}/${file}`);
  writer.graph(graph, part);
}

/** What tells the kinds of encoders apart, where their files say nothing. */
const CONFIGS: Readonly<Record<string, JsonObject>> = {
  l: { model_type: 'clip_text_model', hidden_size: 768 },
  g: { model_type: 'clip_text_model', hidden_size: 1280 },
  t5xxl: { model_type: 't5' },
};

/** `config` beside its own: more of the model that it belongs to. */
export function addVae(writer: ModelWriter, { graphs: parts }: VaeModel, config: JsonObject = {}): void {
  if (!parts)
    throw new Error(
      'this autoencoder has no weights that could be saved: connect one of a checkpoint or of VAELoader, other than pixel_space',
    );
  const { decoder, encoder } = parts;
  writer.json('vae_decoder/config.json', { ...parts.config, ...config });
  if (encoder) writer.graph(encoder, 'vae_encoder');
  writer.graph(decoder, 'vae_decoder');
}

/** Which encoders a kind of network is saved with, in the order of their folders, and which of them it can do without. */
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

/** Folder of the network, which is the last graph of a checkpoint. */
const networkPart = (kind: NetworkKind): string =>
  kind === 'sd3' || kind === 'flux' ? 'transformer' : 'unet';

/** Throws for text encoders of another kind of model. */
export async function addCheckpoint(
  writer: ModelWriter,
  files: Files,
  { model, clip, vae }: { model: DiffusionModel; clip: ClipModel; vae: VaeModel },
): Promise<void> {
  const { facts } = requireSavable(model);
  const { kind } = facts;
  const wanted = ENCODERS[kind];
  const given = [...clip.graphs.keys()];
  const isMissing = wanted.some(([name, isOptional]) => !isOptional && !given.includes(name));
  if (isMissing || given.some((name) => !wanted.some(([other]) => other === name)))
    throw new Error(
      `the text encoders (${given.join(', ')}) are not those of a model of this kind (${wanted.map(([name]) => name).join(', ')}): connect those that it runs with, or save the parts by themselves`,
    );
  const components: JsonObject = {};
  for (const [index, [name]] of wanted.entries()) {
    if (!given.includes(name)) continue;
    const suffix = index === 0 ? '' : `_${index + 1}`;
    const part = `text_encoder${suffix}`;
    const isT5 = name === 't5xxl';
    const withProjection = kind === 'sd3' || name === 'g' ? 'CLIPTextModelWithProjection' : 'CLIPTextModel';
    components[part] = ['transformers', isT5 ? 'T5EncoderModel' : withProjection];
    components[`tokenizer${suffix}`] = ['transformers', isT5 ? 'T5TokenizerFast' : 'CLIPTokenizer'];
    await addEncoder(writer, files, clip, name, { part, tokenizer: `tokenizer${suffix}` });
  }
  // The latents are those of the network, whichever autoencoder decodes them.
  addVae(writer, vae, latentConfig(model));
  const part = networkPart(kind);
  const { _class_name: scheduler } = facts.scheduler;
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
  const { path } = (await source.parts()).find(({ role }) => role === 'weights')!;
  return path.slice(0, path.lastIndexOf('/'));
}
