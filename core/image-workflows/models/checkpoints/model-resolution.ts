import type { FilePath, Host } from '#core/host';
import { ImageModelFolder, numberOr } from '../model-files/image-model-folder.ts';
import { NETWORK_FOLDERS } from '../networks/open-denoiser.ts';
import { vaeConfig, vaeScale } from '../vae/vae-model.ts';

/**
 * The image size that a model in a folder was trained for, by the name of the Model Metadata Standard (ModelSpec) for
 * safetensors files. Undefined when its configuration has none.
 */
export async function resolutionMetadata(
  host: Host,
  path: FilePath,
): Promise<Record<string, string> | undefined> {
  if ((await host.files.stat(path))?.kind !== 'folder') return undefined;
  const folder = new ImageModelFolder(host, path);
  const network = await folder.folderWithGraph(...NETWORK_FOLDERS);
  // Damaged configurations are reported by the node that loads the model.
  const config =
    network &&
    (await folder
      .subfolder(network)
      .readJson('config.json')
      .catch(() => undefined));
  const scale = vaeScale(await vaeConfig(folder).catch(() => ({})));
  const side = config ? numberOr(config.sample_size, 0) * scale : 0;
  return side > 0 ? { 'modelspec.resolution': `${side}x${side}` } : undefined;
}
