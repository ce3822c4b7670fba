/** Models by folder. The names are the ones that the loader nodes take. */
import { emptyResponse, type RouteCall } from '#core/http';
import { MODEL_FOLDERS, modelFolder, modelLocations } from '../files/model-folders.ts';
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

export const listModelFolders = (): Response => pythonJsonResponse(MODEL_FOLDERS);

export async function listModels({ files }: ImageServer, { params }: RouteCall): Promise<Response> {
  const folder = params.folder!;
  return isListedFolder(folder) ? pythonJsonResponse(await listedModels(files, folder)) : emptyResponse(404);
}

/** Folders of the output in which nodes save models are locations, too. */
export function showFolderPaths(): Response {
  return pythonJsonResponse(Object.fromEntries(MODEL_FOLDERS.map((name) => [name, modelLocations(name)])));
}

export async function showModelMetadata(
  { host }: ImageServer,
  { params, url }: RouteCall,
): Promise<Response> {
  const folder = modelFolder(params.folder!);
  const name = relativePath(url.searchParams.get('filename') ?? '');
  if (folder === undefined || !name) return emptyResponse(404);
  const path = joinPath('models', folder, name);
  const own = name.endsWith('.safetensors') ? await safetensorsMetadata(host.files, path) : undefined;
  const metadata = own ?? (await modelMetadata(host, path));
  return metadata ? pythonJsonResponse(metadata) : emptyResponse(404);
}

/** Older names of folders are not listed, although they work elsewhere. */
export function isListedFolder(name: string): boolean {
  return (MODEL_FOLDERS as readonly string[]).includes(name);
}
