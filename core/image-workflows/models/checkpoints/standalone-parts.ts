/** Networks, text encoders and autoencoders that lie in folders of their own. */
import type { FilePath, Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import {
  imageRaster,
  planesToRaster,
  rasterToImage,
  rasterToPlanes,
  withChannels,
} from '../../images/rasters.ts';
import { map } from '../../sampling/tensor-math.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { NetworkKind } from '../../values/network.ts';
import { type Combination, clipModel } from '../encoders/clip-model.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import { encoderKind, openTextEncoder } from '../encoders/open-text-encoder.ts';
import type { TextEncoder } from '../encoders/text-encoder.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { ModelFolder } from '../model-files/model-folder.ts';
import { modelNames, rejectBareWeights } from '../model-files/model-names.ts';
import { NETWORK_FOLDERS, openDenoiser } from '../networks/open-denoiser.ts';
import { openVae } from '../vae/vae-model.ts';
import { encoderOptions } from './open-checkpoint.ts';

const NETWORKS = 'models/diffusion_models';
const ENCODERS = 'models/text_encoders';
const AUTOENCODERS = 'models/vae';
export const PIXEL_SPACE = 'pixel_space';

export const networkNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'diffusion_models', ['unet/model.onnx', 'transformer/model.onnx', 'model.onnx'], true);

/** Reads configurations only. Throws for names that there are not, and what does not run here. */
export async function loadNetwork(host: Host, name: string): Promise<DiffusionModel> {
  await rejectBareWeights(host, NETWORKS, name);
  const path: FilePath = `${NETWORKS}/${name}`;
  const folder = new ModelFolder(host, path);
  if (name.endsWith('.onnx') && (await host.files.stat(path))?.kind === 'file')
    return (await openDenoiser(graphsOf(host).at(path), {}, folder)).model;
  const place = folder.at((await folder.folderWithGraph(...NETWORK_FOLDERS)) ?? '');
  const { model } = await openDenoiser(place.graph, (await place.json('config.json')) ?? {}, folder);
  await graphsOf(host).keepOnly(NETWORKS, name);
  return model;
}

const ENCODER_FOLDERS = ['text_encoder', 'text_encoder_2', 'text_encoder_3'] as const;

export const encoderNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'text_encoders', [
    ...ENCODER_FOLDERS.map((folder) => `${folder}/model.onnx`),
    'model.onnx',
  ]);

/** Which families' text encoders run here, and how what they say becomes one. */
const FAMILIES: Readonly<Record<string, { kind: NetworkKind; combination: Combination }>> = {
  stable_diffusion: { kind: 'sd', combination: 'side by side' },
  sdxl: { kind: 'sdxl', combination: 'side by side' },
  sd3: { kind: 'sd3', combination: 'sd3' },
  flux: { kind: 'flux', combination: 'flux' },
};
const ORDER = ['l', 'g', 't5xxl'] as const;

/**
 * One model of text encoders in folders of their own: `model.onnx` with its `config.json`, and the tokenizer's files beside
 * it or in `tokenizer/`. Throws for families that do not run here.
 */
export async function loadEncoders(host: Host, names: readonly string[], family: string): Promise<ClipModel> {
  const known = FAMILIES[family];
  if (!known)
    throw new Error(
      `text encoders of the kind ${family} do not run here: choose ${Object.keys(FAMILIES).join(', ')}`,
    );
  const { kind, combination } = known;
  const encoders: TextEncoder[] = [];
  for (const name of names) {
    await rejectBareWeights(host, ENCODERS, name);
    const folder = new ModelFolder(host, `${ENCODERS}/${name}`);
    const graph = (await folder.folderWithGraph(...ENCODER_FOLDERS, '')) ?? '';
    const encoder = folder.at(graph);
    const tokenizers = [graph.replace('text_encoder', 'tokenizer'), 'tokenizer', ''];
    const beside = await Promise.all(
      tokenizers.map(async (part) => {
        const place = folder.at(part);
        return (await place.has('vocab.json')) || (await place.has('tokenizer.json')) ? place : undefined;
      }),
    );
    const told = await encoderKind(encoder);
    // Two of one size: they come in the order of their kinds.
    const isTaken = encoders.some((other) => other.name === told);
    const kindName = isTaken && told !== 't5xxl' ? (told === 'l' ? 'g' : 'l') : told;
    const reading = encoderOptions(kind, kindName);
    encoders.push(await openTextEncoder(encoder, beside.find((place) => place) ?? folder, reading));
  }
  encoders.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
  return clipModel({ encoders, combination, embeddings: embeddingFiles(host) });
}

export const vaeNames = async (files: WorkflowFiles): Promise<string[]> => [
  ...(await modelNames(files, 'vae', ['vae_decoder/model.onnx'])).filter(
    (name) => !name.endsWith('/vae_encoder/model.onnx'),
  ),
  PIXEL_SPACE,
];

/** Throws for names that there are not, and weights without a graph. */
export async function loadVae(host: Host, name: string): Promise<VaeModel> {
  if (name === PIXEL_SPACE) return pixelSpace;
  await rejectBareWeights(host, AUTOENCODERS, name);
  const folder = new ModelFolder(host, `${AUTOENCODERS}/${name}`);
  if (!(await folder.has('vae_decoder/model.onnx')))
    throw new Error(
      `there is no ${folder.path}/vae_decoder/model.onnx: export it with "optimum-cli export onnx"`,
    );
  const vae = await openVae(folder);
  await graphsOf(host).keepOnly(AUTOENCODERS, name);
  return vae;
}

/** For models that work on pixels: -1 to 1 stands for 0 to 1. */
const pixelSpace: VaeModel = {
  latentChannels: 3,
  scale: 1,
  encode: async (pixels) =>
    map((value) => value * 2 - 1, rasterToPlanes(withChannels(imageRaster(pixels), 3))),
  decode: async (samples) =>
    map((value) => Math.min(Math.max((value + 1) / 2, 0), 1), rasterToImage(planesToRaster(samples))),
};
