import { FileMissing, type FilePath } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import { clipTokenizer } from '../text/clip-tokenizer.ts';
import type { ModelPatch } from '../values/sampling.ts';
import type { ClipModel, VaeModel } from '../values/types.ts';
import { type TextEncoder as ClipEncoder, clipModel } from './clip.ts';
import { Graph, graphOfFolder } from './graph.ts';
import latentColours from './latent-colours.json' with { type: 'json' };
import { type SchedulerConfig, samplingOf } from './scheduler-config.ts';
import { unetNetwork } from './unet.ts';
import { vaeModel } from './vae.ts';

export interface Checkpoint {
  model: ModelPatch;
  clip: ClipModel;
  vae: VaeModel;
  unload(): Promise<void>;
}

/** Pipelines of the diffusers layout that run here, by the end of their class names. */
const SUPPORTED = [
  { match: /StableDiffusionXL\w*Pipeline$/, isXl: true },
  { match: /(StableDiffusion|LatentConsistencyModel)(Img2Img|Inpaint)?Pipeline$/, isXl: false },
];

type Json = Record<string, unknown>;

/**
 * A model in the diffusers ONNX layout: `model_index.json` beside folders with `model.onnx` each. Reads the configurations
 * only; graphs are opened as they are used. Throws for pipelines that there is no code for, and for files that are missing.
 */
export async function openCheckpoint(host: Host, folder: FilePath): Promise<Checkpoint> {
  const { files } = host;
  const text = async (path: string): Promise<string | undefined> => {
    try {
      return new TextDecoder().decode(await files.read(`${folder}/${path}`));
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      throw error;
    }
  };
  const json = async (path: string): Promise<Json | undefined> => {
    const found = await text(path);
    if (found === undefined) return undefined;
    try {
      return JSON.parse(found) as Json;
    } catch (error) {
      throw new Error(`${folder}/${path} is not JSON: ${(error as Error).message}`, { cause: error });
    }
  };
  const index = await json('model_index.json');
  if (!index)
    throw new Error(`there is no ${folder}/model_index.json: a model in the diffusers ONNX layout has one`);
  const pipeline = String(index._class_name);
  const kind = SUPPORTED.find(({ match }) => match.test(pipeline));
  if (!kind) throw new Error(`models of the kind ${pipeline} do not run here`);
  const { isXl } = kind;

  const graphs: Graph[] = [];
  const graph = (name: string): Graph => {
    const made = new Graph(host, (files) => graphOfFolder(files, `${folder}/${name}`));
    graphs.push(made);
    return made;
  };
  const encoder = async (name: string, suffix: string): Promise<ClipEncoder> => {
    const [vocabulary, merges] = [
      await json(`tokenizer${suffix}/vocab.json`),
      await text(`tokenizer${suffix}/merges.txt`),
    ];
    if (!vocabulary || merges === undefined)
      throw new Error(`the model has no ${folder}/tokenizer${suffix}/vocab.json and merges.txt`);
    const vocab = vocabulary as Record<string, number>;
    const tokenizer = clipTokenizer({ vocab, merges });
    const config = (await json(`tokenizer${suffix}/tokenizer_config.json`)) ?? {};
    const pad = config.pad_token as string | { content?: string } | undefined;
    const length = Number(config.model_max_length);
    return {
      name,
      graph: graph(`text_encoder${suffix}`),
      tokenizer,
      pad: vocab[(typeof pad === 'object' ? pad?.content : pad) ?? ''] ?? tokenizer.end,
      length: length > 2 && length <= 1024 ? length : 77,
      layer: isXl ? -2 : -1,
      rawLayers: isXl,
    };
  };
  const encoders = [await encoder('l', '')];
  if (isXl) encoders.push(await encoder('g', '_2'));

  const vaeConfig = (await json('vae_decoder/config.json')) ?? (await json('vae/config.json')) ?? {};
  const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
  const channels = number(vaeConfig.latent_channels, 4);
  const blocks = Array.isArray(vaeConfig.block_out_channels) ? vaeConfig.block_out_channels.length : 4;
  const hasEncoder = (await files.stat(`${folder}/vae_encoder/model.onnx`)) !== undefined;
  return {
    model: {
      network: unetNetwork(graph('unet')),
      sampling: samplingOf(((await json('scheduler/scheduler_config.json')) as SchedulerConfig) ?? {}),
      latent: {
        channels,
        scaleFactor: number(vaeConfig.scaling_factor, isXl ? 0.13025 : 0.18215),
        shiftFactor: number(vaeConfig.shift_factor, 0),
        ...(channels === 4 && { colours: latentColours[isXl ? 'sdxl' : 'sd'] }),
      },
      guidance: { before: [], after: [] },
    },
    clip: clipModel(encoders),
    vae: vaeModel({
      encoder: hasEncoder ? graph('vae_encoder') : undefined,
      decoder: graph('vae_decoder'),
      latentChannels: channels,
      scale: 2 ** (blocks - 1),
    }),
    async unload() {
      await Promise.all(graphs.map((one) => one.unload()));
    },
  };
}
