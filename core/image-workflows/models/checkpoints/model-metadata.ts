import type { FilePath, Host } from '#core/host';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { NETWORK_FOLDERS } from '../networks/open-denoiser.ts';
import { readMetadata } from '../saving/onnx-metadata.ts';
import { resolutionMetadata } from './model-resolution.ts';

/** Bytes. Longer texts are left out. */
const MAX_TEXT = 1024 * 1024;

/**
 * The metadata of an ONNX model: the texts in its graph, such as the workflow that made it, and its resolution.
 * Undefined when there is none.
 */
export async function modelMetadata(host: Host, path: FilePath): Promise<Record<string, string> | undefined> {
  const graph = await graphPath(host, path);
  const texts = graph === undefined ? {} : await graphTexts(host, graph);
  const metadata = { ...texts, ...(await resolutionMetadata(host, path)) };
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

async function graphPath(host: Host, path: FilePath): Promise<FilePath | undefined> {
  const info = await host.files.stat(path);
  if (info?.kind === 'file') return path.endsWith('.onnx') ? path : undefined;
  if (!info) return undefined;
  const part = await new ImageModelFolder(host, path).folderWithGraph(...NETWORK_FOLDERS, 'vae_decoder');
  if (part === undefined) return undefined;
  return part === '' ? `${path}/model.onnx` : `${path}/${part}/model.onnx`;
}

async function graphTexts({ files }: Host, path: FilePath): Promise<Record<string, string>> {
  const read = (start: number, end: number) => files.read(path, start, end);
  const { size } = (await files.stat(path))!;
  // A damaged graph is reported by the node that loads it.
  const entries = await readMetadata(size, read).catch(() => []);
  const texts: Record<string, string> = {};
  for (const { name, range } of entries)
    if (!name.startsWith('~') && range.end - range.start <= MAX_TEXT)
      texts[name] = new TextDecoder().decode(await read(range.start, range.end));
  return texts;
}
