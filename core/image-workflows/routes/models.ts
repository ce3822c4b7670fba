/** Models by folder. The names are the ones that the loader nodes take. */
import type { Host } from '#core/host';
import { emptyResponse, type RouteCall } from '#core/http';
import { modelFolder, modelKinds, modelLocations } from '../files/model-folders.ts';
import { joinPath, relativePath } from '../files/paths.ts';
import { listedModels } from '../models/checkpoints/listed-models.ts';
import { modelMetadata } from '../models/checkpoints/model-metadata.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { safetensorsMetadata } from './safetensors-metadata.ts';

/** Names without their extension, as prompts write them. */
export async function listEmbeddings({ files }: ImageServer): Promise<Response> {
  return pythonJsonResponse((await files.models('embeddings')).map((name) => name.replace(/\.[^./]*$/, '')));
}

export const listModelFolders = ({ host }: ImageServer): Response =>
  pythonJsonResponse(modelKinds(host.modelPlaces));

export async function listModels({ host, files }: ImageServer, { params }: RouteCall): Promise<Response> {
  const folder = params.folder!;
  return isListedFolder(host, folder)
    ? pythonJsonResponse(await listedModels(files, folder))
    : emptyResponse(404);
}

/** Folders of the output in which nodes save models are locations, too. */
export function showFolderPaths({ host: { modelPlaces } }: ImageServer): Response {
  const entries = modelKinds(modelPlaces).map((name) => [name, modelLocations(name, modelPlaces)]);
  return pythonJsonResponse(Object.fromEntries(entries));
}

export async function showModelMetadata(
  { host }: ImageServer,
  { params, url }: RouteCall,
): Promise<Response> {
  const folder = modelFolder(params.folder!, host.modelPlaces);
  const name = relativePath(url.searchParams.get('filename') ?? '');
  if (folder === undefined || !name) return emptyResponse(404);
  const path = joinPath('models', folder, name);
  const own = name.endsWith('.safetensors') ? await safetensorsMetadata(host.files, path) : undefined;
  const metadata = own ?? (await modelMetadata(host, path));
  return metadata ? pythonJsonResponse(metadata) : emptyResponse(404);
}

/** Older names of folders are not listed, although they work elsewhere. */
export const isListedFolder = ({ modelPlaces }: Host, name: string): boolean =>
  modelKinds(modelPlaces).includes(name);
