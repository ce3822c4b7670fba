/** `/experiment/models`: models with their sizes, times and preview images. */
import type { FileInfo, FilePath, Host } from '#core/host';
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import { decodeImage, encodeWebp, ImageUnreadable } from '#core/image-codecs';
import { isModelFile, modelFolder, modelKinds, modelLocations } from '../files/model-folders.ts';
import { baseName, joinPath, relativePath } from '../files/paths.ts';
import { listedModels } from '../models/checkpoints/listed-models.ts';
import { storedPath } from '../models/model-files/located-models.ts';
import { bytesResponse, pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { isListedFolder } from './models.ts';

export function listModelFolderLocations({ host: { modelPlaces } }: ImageServer): Response {
  const folders = modelKinds(modelPlaces).filter((name) => name !== 'configs' && name !== 'custom_nodes');
  return pythonJsonResponse(folders.map((name) => ({ name, folders: modelLocations(name, modelPlaces) })));
}

/** Hidden files are left out. */
export async function listModelDetails(
  { host, files }: ImageServer,
  { params }: RouteCall,
): Promise<Response> {
  const folder = params.folder!;
  if (!isListedFolder(host, folder)) return emptyResponse(404);
  const names = (await listedModels(files, folder)).filter((name) => !/(^|\/)\./.test(name));
  const details = await Promise.all(names.map((name) => modelDetails(host, folder, name)));
  return pythonJsonResponse(details.filter((model) => model !== undefined));
}

/** `pathIndex`: which of the folder's locations holds the model. Times are seconds since 1970. */
async function modelDetails(host: Host, folder: string, name: string) {
  const path = await storedPath(host, joinPath('models', folder, name));
  const info = await statWithContents(host, path);
  return (
    info && {
      name,
      pathIndex: modelLocations(folder, host.modelPlaces).findIndex((location) =>
        path.startsWith(`${location}/`),
      ),
      modified: info.modifiedAt / 1000,
      created: info.createdAt / 1000,
      size: info.size,
    }
  );
}

/** The size of a folder is the sum of its files. */
async function statWithContents(host: Host, path: FilePath): Promise<FileInfo | undefined> {
  const info = await host.files.stat(path);
  if (info?.kind !== 'folder') return info;
  const children = (await host.files.list(path)) ?? [];
  const infos = await Promise.all(children.map((child) => statWithContents(host, child.path)));
  return { ...info, size: infos.reduce((sum, child) => sum + (child?.size ?? 0), 0) };
}

export async function showModelPreview({ host }: ImageServer, { params }: RouteCall): Promise<Response> {
  const folder = modelFolder(params.folder!, host.modelPlaces);
  const name = relativePath(params.name!);
  const locations = folder === undefined ? [] : modelLocations(folder, host.modelPlaces);
  const location = locations[Number(params.index)];
  if (location === undefined || !name) return emptyResponse(404);
  const preview = await previewImage(host, joinPath(location, name));
  return preview ? bytesResponse(preview, 'image/webp') : emptyResponse(404);
}

/** The image of the same name in the model's folder, as WebP. */
async function previewImage(host: Host, path: FilePath): Promise<Uint8Array | undefined> {
  const stem = baseName(path.replace(/\.[^./]*$/, ''));
  const siblings = (await host.files.list(path.slice(0, path.lastIndexOf('/')))) ?? [];
  const image = siblings.find(
    (file) =>
      /\.(png|jpe?g|webp|gif)$/i.test(file.path) &&
      !isModelFile(file.path) &&
      baseName(file.path).startsWith(`${stem}.`),
  );
  if (!image) return undefined;
  try {
    const { frames } = await decodeImage(await host.files.read(image.path), host.imageCodecs);
    return await encodeWebp(frames[0]!, { quality: 80 }, host.imageCodecs);
  } catch (error) {
    if (error instanceof ImageUnreadable) throw new ApiError(400, error.message);
    throw error;
  }
}
