/** What models there are, by the kind of folder. */

import type { FileInfo } from '#core/host';
import { ApiError, type Route } from '#core/http';
import { decodeImage, encodeWebp, ImageUnreadable } from '#core/image-codecs';
import { isModelFile, MODEL_FOLDERS, modelFolder, modelLocations } from '../files/model-folders.ts';
import { baseName, joinPath, relativePath } from '../files/paths.ts';
import { listedModels } from '../models/checkpoints/listed-models.ts';
import { modelMetadata } from '../models/checkpoints/model-metadata.ts';
import { placeOf } from '../models/model-files/saved-models.ts';
import type { ImageServer } from '../server.ts';
import { empty, json } from './responses.ts';

/** A longer header of a safetensors file is not read. */
const MAX_HEADER = 1024 * 1024;

export function modelRoutes({ host, files }: ImageServer): Route[] {
  const names = (folder: string) => listedModels(files, folder);
  const listed = (name: string) => (MODEL_FOLDERS as readonly string[]).includes(name);
  return [
    {
      method: 'GET',
      path: '/embeddings',
      handle: async () =>
        json((await files.models('embeddings')).map((name) => name.replace(/\.[^./]*$/, ''))),
    },
    { method: 'GET', path: '/models', handle: () => json(MODEL_FOLDERS) },
    {
      method: 'GET',
      path: '/models/:folder',
      handle: async ({ params }) => (listed(params.folder!) ? json(await names(params.folder!)) : empty(404)),
    },
    {
      method: 'GET',
      path: '/view_metadata/:folder',
      handle: async ({ params, url }) => {
        const folder = modelFolder(params.folder!);
        const name = relativePath(url.searchParams.get('filename') ?? '');
        if (folder === undefined || !name) return empty(404);
        const path = joinPath('models', folder, name);
        const metadata = name.endsWith('.safetensors')
          ? ((await readMetadata(path)) ?? (await modelMetadata(host, path)))
          : await modelMetadata(host, path);
        return metadata ? json(metadata) : empty(404);
      },
    },
    {
      method: 'GET',
      path: '/experiment/models',
      handle: () =>
        json(
          MODEL_FOLDERS.filter((name) => name !== 'configs' && name !== 'custom_nodes').map((name) => ({
            name,
            folders: modelLocations(name),
          })),
        ),
    },
    {
      method: 'GET',
      path: '/experiment/models/:folder',
      handle: async ({ params }) => {
        if (!listed(params.folder!)) return empty(404);
        const shown = (await names(params.folder!)).filter((name) => !/(^|\/)\./.test(name));
        const found = await Promise.all(
          shown.map(async (name) => {
            const path = await placeOf(host, joinPath('models', params.folder!, name));
            const pathIndex = modelLocations(params.folder!).findIndex((place) =>
              path.startsWith(`${place}/`),
            );
            const info = await wholeOf(path);
            return (
              info && {
                name,
                pathIndex,
                modified: info.modifiedAt / 1000,
                created: info.createdAt / 1000,
                size: info.size,
              }
            );
          }),
        );
        return json(found.filter((one) => one !== undefined));
      },
    },
    {
      method: 'GET',
      path: '/experiment/models/preview/:folder/:index/*name',
      handle: async ({ params }) => {
        const folder = modelFolder(params.folder!);
        const name = relativePath(params.name!);
        const place = folder === undefined ? undefined : modelLocations(folder)[Number(params.index)];
        if (place === undefined || !name) return empty(404);
        const picture = await previewOf(joinPath(place, name));
        return picture
          ? new Response(picture, {
              headers: { 'content-type': 'image/webp', 'content-length': String(picture.length) },
            })
          : empty(404);
      },
    },
  ];

  /** A model that is a folder counts with all its files. */
  async function wholeOf(path: string): Promise<FileInfo | undefined> {
    const info = await host.files.stat(path);
    if (info?.kind !== 'folder') return info;
    const inside = await Promise.all(((await host.files.list(path)) ?? []).map((one) => wholeOf(one.path)));
    return { ...info, size: inside.reduce((sum, one) => sum + (one?.size ?? 0), 0) };
  }

  async function readMetadata(path: string): Promise<unknown> {
    const info = await host.files.stat(path);
    if (info?.kind !== 'file' || info.size < 8) return undefined;
    const head = await host.files.read(path, 0, 8);
    const length = new DataView(head.buffer, head.byteOffset).getBigUint64(0, true);
    if (length > BigInt(MAX_HEADER)) return undefined;
    try {
      const text = new TextDecoder().decode(await host.files.read(path, 8, 8 + Number(length)));
      return (JSON.parse(text) as Record<string, unknown>).__metadata__;
    } catch {
      return undefined;
    }
  }

  /** A picture beside the model, of its name. */
  async function previewOf(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const stem = path.replace(/\.[^./]*$/, '');
    const beside = (await host.files.list(path.slice(0, path.lastIndexOf('/')))) ?? [];
    for (const other of beside) {
      const isPicture = /\.(png|jpe?g|webp|gif)$/i.test(other.path) && !isModelFile(other.path);
      if (!isPicture || !baseName(other.path).startsWith(`${baseName(stem)}.`)) continue;
      try {
        const { frames } = await decodeImage(await host.files.read(other.path), host.imageCodecs);
        return await encodeWebp(frames[0]!, { quality: 80 }, host.imageCodecs);
      } catch (error) {
        if (error instanceof ImageUnreadable) throw new ApiError(400, error.message);
        throw error;
      }
    }
    return undefined;
  }
}
