/** Loads networks, text encoders and VAEs from folders of their own. */
import type { FilePath, Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { NetworkKind } from '../../values/network.ts';
import { clipModel } from '../encoders/clip-model.ts';
import type { Combination } from '../encoders/combine-encodings.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import { encoderKind, openTextEncoder } from '../encoders/open-text-encoder.ts';
import type { TextEncoderModel } from '../encoders/text-encoder-model.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { modelNames, rejectBareWeights } from '../model-files/model-names.ts';
import { NETWORK_FOLDERS, openDenoiser } from '../networks/open-denoiser.ts';
import { pixelSpace } from '../vae/pixel-space.ts';
import { openVae } from '../vae/vae-model.ts';
import { encoderOptions } from './open-checkpoint.ts';

const NETWORKS = 'models/diffusion_models';
const ENCODERS = 'models/text_encoders';
const VAES = 'models/vae';
export const PIXEL_SPACE = 'pixel_space';

export const networkNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'diffusion_models', ['unet/model.onnx', 'transformer/model.onnx', 'model.onnx'], true);

/** Reads configurations only. Rejects for missing files and unsupported networks. */
export async function loadNetwork(host: Host, name: string): Promise<DiffusionModel> {
  await rejectBareWeights(host, NETWORKS, name);
  const path: FilePath = `${NETWORKS}/${name}`;
  const folder = new ImageModelFolder(host, path);
  if (name.endsWith('.onnx') && (await host.files.stat(path))?.kind === 'file')
    return (await openDenoiser(graphsOf(host).at(path), {}, folder)).model;
  const network = folder.subfolder((await folder.folderWithGraph(...NETWORK_FOLDERS)) ?? '');
  const { model } = await openDenoiser(network.graph, (await network.readJson('config.json')) ?? {}, folder);
  await graphsOf(host).keepOnly(NETWORKS, name);
  return model;
}

const ENCODER_FOLDERS = ['text_encoder', 'text_encoder_2', 'text_encoder_3'] as const;

export const encoderNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'text_encoders', [
    ...ENCODER_FOLDERS.map((folder) => `${folder}/model.onnx`),
    'model.onnx',
  ]);

/** The supported families of text encoders, by the names of the loader nodes. */
const FAMILIES: Readonly<Record<string, { kind: NetworkKind; combination: Combination }>> = {
  stable_diffusion: { kind: 'sd', combination: 'concat' },
  sdxl: { kind: 'sdxl', combination: 'concat' },
  sd3: { kind: 'sd3', combination: 'sd3' },
  flux: { kind: 'flux', combination: 'flux' },
};
const ORDER = ['l', 'g', 't5xxl'] as const;

/**
 * Loads the text encoders of one model. Each has a folder with `model.onnx`, its `config.json` and the tokenizer's files,
 * which may also lie in `tokenizer/`. Rejects for unsupported families.
 */
export async function loadEncoders(host: Host, names: readonly string[], family: string): Promise<ClipModel> {
  const supported = FAMILIES[family];
  if (!supported)
    throw new Error(
      `text encoders of the kind ${family} are not supported: choose ${Object.keys(FAMILIES).join(', ')}`,
    );
  const { kind, combination } = supported;
  const encoders: TextEncoderModel[] = [];
  for (const name of names) {
    await rejectBareWeights(host, ENCODERS, name);
    const folder = new ImageModelFolder(host, `${ENCODERS}/${name}`);
    const graphFolder = (await folder.folderWithGraph(...ENCODER_FOLDERS, '')) ?? '';
    const encoder = folder.subfolder(graphFolder);
    const detected = await encoderKind(encoder);
    // The second of two CLIP encoders of the same size counts as the other kind.
    const isTaken = encoders.some((other) => other.name === detected);
    const encoderName = isTaken && detected !== 't5xxl' ? (detected === 'l' ? 'g' : 'l') : detected;
    const tokenizer = await tokenizerFolder(folder, graphFolder);
    encoders.push(await openTextEncoder(encoder, tokenizer, encoderOptions(kind, encoderName)));
  }
  encoders.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
  return clipModel({ encoders, combination, embeddings: embeddingFiles(host) });
}

/** The first folder with a tokenizer. Without one, the model's folder. */
async function tokenizerFolder(folder: ImageModelFolder, graphFolder: string): Promise<ImageModelFolder> {
  for (const part of [graphFolder.replace('text_encoder', 'tokenizer'), 'tokenizer', '']) {
    const candidate = folder.subfolder(part);
    if ((await candidate.has('vocab.json')) || (await candidate.has('tokenizer.json'))) return candidate;
  }
  return folder;
}

export const vaeNames = async (files: WorkflowFiles): Promise<string[]> => [
  ...(await modelNames(files, 'vae', ['vae_decoder/model.onnx'])).filter(
    (name) => !name.endsWith('/vae_encoder/model.onnx'),
  ),
  PIXEL_SPACE,
];

/** Rejects for missing files and weights without a graph. */
export async function loadVae(host: Host, name: string): Promise<VaeModel> {
  if (name === PIXEL_SPACE) return pixelSpace;
  await rejectBareWeights(host, VAES, name);
  const folder = new ImageModelFolder(host, `${VAES}/${name}`);
  if (!(await folder.has('vae_decoder/model.onnx')))
    throw new Error(
      `there is no ${folder.path}/vae_decoder/model.onnx: export it with "optimum-cli export onnx"`,
    );
  const vae = await openVae(folder);
  await graphsOf(host).keepOnly(VAES, name);
  return vae;
}
