/** Loads networks and VAEs from folders and files of their own. */
import type { FilePath, Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { NETWORK_FOLDERS, openDenoiser } from '../networks/open-denoiser.ts';
import { pixelSpace } from '../vae/pixel-space.ts';
import { openVae } from '../vae/vae-model.ts';
import { openAutoencoderFile } from './open-autoencoder.ts';
import { openNetworkFile } from './open-network.ts';
import { isTinyAutoencoder, loadTinyAutoencoder, tinyAutoencoderNames } from './tiny-autoencoders.ts';

const NETWORKS = 'models/diffusion_models';
const VAES = 'models/vae';
export const PIXEL_SPACE = 'pixel_space';

export const networkNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'diffusion_models', ['unet/model.onnx', 'transformer/model.onnx', 'model.onnx'], true);

/** Reads configurations and tables only. Rejects for missing files and unsupported networks. */
export async function loadNetwork(host: Host, name: string): Promise<DiffusionModel> {
  const model = await readNetwork(host, name);
  await graphsOf(host).keepOnly(NETWORKS, name);
  return model;
}

async function readNetwork(host: Host, name: string): Promise<DiffusionModel> {
  const path: FilePath = `${NETWORKS}/${name}`;
  if (await isWeightFile(host, path)) return (await openNetworkFile(host, path)).model;
  const folder = new ImageModelFolder(host, path);
  if (name.endsWith('.onnx') && (await host.files.stat(path))?.kind === 'file')
    return (await openDenoiser(graphsOf(host).at(path), {}, folder)).model;
  const network = folder.subfolder((await folder.folderWithGraph(...NETWORK_FOLDERS)) ?? '');
  const { model } = await openDenoiser(network.graph, (await network.readJson('config.json')) ?? {}, folder);
  return model;
}

/** The autoencoders in their folder. */
export const storedVaeNames = async (files: WorkflowFiles): Promise<string[]> =>
  (await modelNames(files, 'vae', ['vae_decoder/model.onnx'])).filter(
    (name) => !name.endsWith('/vae_encoder/model.onnx'),
  );

/** The choices of VAELoader: stored ones, pairs of TAESD's files, and the one that is built in. */
export const vaeNames = async (files: WorkflowFiles): Promise<string[]> => [
  ...(await storedVaeNames(files)),
  ...(await tinyAutoencoderNames(files)),
  PIXEL_SPACE,
];

/**
 * Reads configurations and tables only. Rejects for missing and damaged files, and for files without a known
 * autoencoder.
 */
export async function loadVae(host: Host, name: string): Promise<VaeModel> {
  if (name === PIXEL_SPACE) return pixelSpace;
  const vae = await readVae(host, name);
  await graphsOf(host).keepOnly(VAES, name);
  return vae;
}

async function readVae(host: Host, name: string): Promise<VaeModel> {
  const path: FilePath = `${VAES}/${name}`;
  if (await isWeightFile(host, path)) return openAutoencoderFile(host, path);
  const folder = new ImageModelFolder(host, path);
  if (await folder.has('vae_decoder/model.onnx')) return openVae(folder);
  if (isTinyAutoencoder(name)) return loadTinyAutoencoder(host, name);
  throw new Error(
    `there is no ${folder.path}/vae_decoder/model.onnx: export it with "optimum-cli export onnx"`,
  );
}
