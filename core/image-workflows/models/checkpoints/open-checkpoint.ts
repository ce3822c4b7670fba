import type { FilePath, Host } from '#core/host';
import type { EncoderName } from '../../values/adapter.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { JsonConfig } from '../../values/model-graph.ts';
import type { NetworkKind } from '../../values/network.ts';
import type { ClipVisionModel } from '../../values/vision.ts';
import { clipModel } from '../encoders/clip-model.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import { openTextEncoder } from '../encoders/open-text-encoder.ts';
import { ImageModelFolder, numberOr } from '../model-files/image-model-folder.ts';
import { NETWORK_FOLDERS, openDenoiser } from '../networks/open-denoiser.ts';
import { openVae } from '../vae/vae-model.ts';

export interface Checkpoint {
  model: DiffusionModel;
  clip: ClipModel;
  vae: VaeModel;
  /** The vision encoder that a file holds. */
  clipVision?: ClipVisionModel;
}

/** The supported pipelines of diffusers. */
const SUPPORTED = /(StableDiffusion(XL|3)?|StableUnCLIP|LatentConsistencyModel|Flux)\w*Pipeline$/;

/** The text encoders of each kind of network, in the order of their folders. */
const ENCODERS: Record<NetworkKind, readonly EncoderName[]> = {
  sd: ['l'],
  sdxl: ['l', 'g'],
  sd3: ['l', 'g', 't5xxl'],
  flux: ['l', 't5xxl'],
};

/**
 * Opens a model in the diffusers ONNX layout: `model_index.json`, and folders with a `model.onnx` each. Reads
 * configurations only: graphs open when they are used. Rejects for missing files and unsupported pipelines.
 */
export async function openCheckpoint(host: Host, path: FilePath): Promise<Checkpoint> {
  const folder = new ImageModelFolder(host, path);
  const index = await folder.readJson('model_index.json');
  if (!index)
    throw new Error(`there is no ${path}/model_index.json: a model in the diffusers ONNX layout has one`);
  const pipeline = String(index._class_name);
  if (!SUPPORTED.test(pipeline)) throw new Error(`models of the kind ${pipeline} are not supported`);
  const network = (await folder.folderWithGraph(...NETWORK_FOLDERS)) ?? 'unet';
  const networkFolder = folder.subfolder(network);
  const config: JsonConfig = (await networkFolder.readJson('config.json')) ?? {};
  const { model, kind } = await openDenoiser(networkFolder.graph, config, folder);
  return { model, clip: await openClip(folder, kind, config), vae: await openVae(folder) };
}

async function openClip(folder: ImageModelFolder, kind: NetworkKind, config: JsonConfig): Promise<ClipModel> {
  const encoders = [];
  for (const [index, name] of ENCODERS[kind].entries()) {
    const suffix = index === 0 ? '' : `_${index + 1}`;
    const encoder = folder.subfolder(`text_encoder${suffix}`);
    // Stable Diffusion 3 works without T5, its largest encoder. SDXL's refiner has only the second encoder.
    const isOptional =
      (kind === 'sd3' && name === 't5xxl') ||
      (kind === 'sdxl' && name === 'l' && (await folder.subfolder('text_encoder_2').has('model.onnx')));
    if (isOptional && !(await encoder.has('model.onnx'))) continue;
    encoders.push(
      await openTextEncoder(encoder, folder.subfolder(`tokenizer${suffix}`), encoderOptions(kind, name)),
    );
  }
  return clipModel({
    encoders,
    combination: kind === 'sd3' || kind === 'flux' ? kind : 'concat',
    embeddings: embeddingFiles(folder.host),
    width: numberOr(config.joint_attention_dim, 4096),
  });
}

/** SDXL and Stable Diffusion 3 use the last layer but one, without the last norm. */
export function encoderOptions(kind: NetworkKind, name: EncoderName) {
  const isEarlier = kind === 'sdxl' || kind === 'sd3';
  return { name, layer: isEarlier ? -2 : -1, rawLayers: isEarlier, minTokens: kind === 'flux' ? 256 : 77 };
}
