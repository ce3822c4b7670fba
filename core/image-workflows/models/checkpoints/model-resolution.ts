import type { FilePath, Host } from '#core/host';
import { ModelFolder, numberOr } from '../model-files/model-folder.ts';
import { NETWORK_FOLDERS } from '../networks/open-denoiser.ts';
import { vaeConfig, vaeScale } from '../vae/vae-model.ts';

/**
 * What is told of a model that is a folder, in the words of the Model Metadata Standard for safetensors files: the size
 * of the pictures that it was made for. Undefined for folders that do not say.
 */
export async function resolutionMetadata(
  host: Host,
  path: FilePath,
): Promise<Record<string, string> | undefined> {
  if ((await host.files.stat(path))?.kind !== 'folder') return undefined;
  const folder = new ModelFolder(host, path);
  const network = await folder.folderWithGraph(...NETWORK_FOLDERS);
  // What is wrong with a model is said by those who load it.
  const config =
    network &&
    (await folder
      .at(network)
      .json('config.json')
      .catch(() => undefined));
  const scale = vaeScale(await vaeConfig(folder).catch(() => ({})));
  const side = config ? numberOr(config.sample_size, 0) * scale : 0;
  return side > 0 ? { 'modelspec.resolution': `${side}x${side}` } : undefined;
}
