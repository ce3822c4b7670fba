import type { FilePath, Host } from '#core/host';
import { ModelFolder } from '../model-files/model-folder.ts';
import { NETWORK_FOLDERS } from '../networks/open-denoiser.ts';
import { readMetadata } from '../saving/onnx-metadata.ts';
import { resolutionMetadata } from './model-resolution.ts';

/** Longer texts are left out. */
const MAX_TEXT = 1024 * 1024;

/** What is told of a model in ONNX: the texts that its graph carries, such as the workflow that made it, and what its folder says. */
export async function modelMetadata(host: Host, path: FilePath): Promise<Record<string, string> | undefined> {
  const graph = await graphOf(host, path);
  const texts = graph === undefined ? {} : await textsOf(host, graph);
  const told = { ...texts, ...(await resolutionMetadata(host, path)) };
  return Object.keys(told).length === 0 ? undefined : told;
}

async function graphOf(host: Host, path: FilePath): Promise<FilePath | undefined> {
  const info = await host.files.stat(path);
  if (info?.kind === 'file') return path.endsWith('.onnx') ? path : undefined;
  if (!info) return undefined;
  const holder = await new ModelFolder(host, path).folderWithGraph(...NETWORK_FOLDERS, 'vae_decoder');
  if (holder === undefined) return undefined;
  return holder === '' ? `${path}/model.onnx` : `${path}/${holder}/model.onnx`;
}

async function textsOf({ files }: Host, path: FilePath): Promise<Record<string, string>> {
  const read = (start: number, end: number) => files.read(path, start, end);
  const { size } = (await files.stat(path))!;
  // What is wrong with a model is said by those who load it.
  const stored = await readMetadata(size, read).catch(() => []);
  const texts: Record<string, string> = {};
  for (const { name, place } of stored)
    if (!name.startsWith('~') && place.end - place.start <= MAX_TEXT)
      texts[name] = new TextDecoder().decode(await read(place.start, place.end));
  return texts;
}
