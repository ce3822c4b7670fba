/** The files in `input`, `output` and `temp`, for the server's own pages. */
import type { FileInfo } from '#core/host';
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import { filesBelow } from '../files/files-below.ts';
import { modelPathOf } from '../files/model-folders.ts';
import { isFolderName, joinPath, relativePath } from '../files/paths.ts';
import type { FolderName } from '../files/workflow-files.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';

/** Lists names, the newest file first. `full_info` adds subfolders, sizes and times. */
export async function listFiles({ host }: ImageServer, { params, url }: RouteCall): Promise<Response> {
  const folder = requireFolder(params.folder!);
  const isFull = url.searchParams.get('full_info') === 'true';
  const files = (await filesBelow(host.files, folder, { deep: isFull })) ?? [];
  const newestFirst = files.sort((a, b) => b.modifiedAt - a.modifiedAt);
  const nameOf = ({ path }: FileInfo) => path.slice(folder.length + 1);
  return pythonJsonResponse(
    isFull
      ? newestFirst.map((info) => ({
          path: nameOf(info),
          size: info.size,
          modified: info.modifiedAt / 1000,
        }))
      : newestFirst.map(nameOf),
  );
}

/** Deletes a file or a folder. A saved model also leaves memory, once no prompt runs. */
export async function deleteFile(server: ImageServer, { params }: RouteCall): Promise<Response> {
  const { host } = server;
  const relative = relativePath(params.path!);
  if (!relative) throw new ApiError(400, 'this path leaves the folder');
  const path = joinPath(requireFolder(params.folder!), relative);
  const isDeleted = await host.files.delete(path);
  const modelPath = modelPathOf(path);
  if (isDeleted && modelPath !== undefined) {
    const { queue } = await server.ready();
    queue.free({ path: modelPath });
  }
  return emptyResponse(isDeleted ? 204 : 404);
}

/** @throws `ApiError` 400 for a name that is no folder of workflows */
export function requireFolder(name: string): FolderName {
  if (!isFolderName(name)) throw new ApiError(400, 'Invalid directory type');
  return name;
}
