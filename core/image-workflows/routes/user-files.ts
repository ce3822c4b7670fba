/** The files that the editor stores for the user, such as workflows. */
import type { FileInfo } from '#core/host';
import { emptyResponse, type RouteCall } from '#core/http';
import { filesBelow } from '../files/files-below.ts';
import { baseName, joinPath, relativePath } from '../files/paths.ts';
import { readUpload } from '../request-body.ts';
import { methodNotAllowed, plainTextResponse, pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { fileResponse } from './file-response.ts';
import { isTrueParameter } from './query.ts';
import { isMove, movePaths, userFilePath } from './user-file-paths.ts';
import { USER_FOLDER } from './user-folder.ts';

/** `GET /userdata`: the files in one folder, by name. */
export async function listUserFiles({ host }: ImageServer, { url }: RouteCall): Promise<Response> {
  const query = url.searchParams;
  const dir = query.get('dir');
  if (!dir) return plainTextResponse('Directory not provided', 400);
  const relative = relativePath(dir);
  if (relative === undefined) return plainTextResponse('Invalid directory', 403);
  const folder = joinPath(USER_FOLDER, relative);
  const found = await filesBelow(host.files, folder, { deep: isTrueParameter(query, 'recurse') });
  if (!found) return plainTextResponse('Directory not found', 404);
  const files = found.map((info) => ({ info, path: info.path.slice(folder.length + 1) }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (isTrueParameter(query, 'full_info'))
    return pythonJsonResponse(files.map(({ info, path }) => fullInfo(info, path)));
  const isSplit = isTrueParameter(query, 'split');
  return pythonJsonResponse(files.map(({ path }) => (isSplit ? [path, ...path.split('/')] : path)));
}

/** `GET /v2/userdata`: everything below one folder, folders first. */
export async function listUserTree({ host }: ImageServer, { url }: RouteCall): Promise<Response> {
  const relative = relativePath(url.searchParams.get('path') ?? '');
  if (relative === undefined) return plainTextResponse('Invalid path requested', 400);
  const folder = joinPath(USER_FOLDER, relative);
  const info = await host.files.stat(folder);
  if (!info && relative === '') return pythonJsonResponse([]);
  if (!info) return plainTextResponse('Requested path not found', 404);
  if (info.kind !== 'folder') return plainTextResponse('Requested path is not a directory', 400);
  const found = (await filesBelow(host.files, folder, { deep: true, withFolders: true })) ?? [];
  const entries = found.map(treeEntry);
  entries.sort((a, b) => {
    if (a.type !== b.type) return a.type === 'directory' ? -1 : 1;
    return a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1;
  });
  return pythonJsonResponse(entries);
}

export async function sendUserFile({ host }: ImageServer, { url, request }: RouteCall): Promise<Response> {
  const path = userFilePath(url);
  if (path === undefined) return emptyResponse(404);
  if (path === 'outside') return emptyResponse(403);
  return (await fileResponse(host.files, joinPath(USER_FOLDER, path), request)) ?? emptyResponse(404);
}

export function writeOrMoveUserFile(server: ImageServer, call: RouteCall): Promise<Response> {
  return isMove(call.url) ? moveUserFile(server, call) : writeUserFile(server, call);
}

async function writeUserFile({ host }: ImageServer, call: RouteCall): Promise<Response> {
  const path = userFilePath(call.url);
  if (path === undefined) return notAllowed();
  if (path === 'outside') return emptyResponse(403);
  const bytes = await readUpload(call);
  const target = joinPath(USER_FOLDER, path);
  if ((await host.files.stat(target))?.kind === 'folder')
    return plainTextResponse('There is a folder of that name', 409);
  const isWritten = await host.files.write(target, bytes, { exclusive: !mayOverwrite(call) });
  return isWritten ? changedFile(host.files, call, path) : plainTextResponse('File already exists', 409);
}

async function moveUserFile({ host }: ImageServer, call: RouteCall): Promise<Response> {
  const [from, to] = movePaths(call.url);
  if (from === 'outside' || to === 'outside') return emptyResponse(403);
  const source = await host.files.stat(joinPath(USER_FOLDER, from));
  if (source?.kind !== 'file') return emptyResponse(404);
  const target = joinPath(USER_FOLDER, to);
  const existing = await host.files.stat(target);
  if (existing?.kind === 'folder' || (existing && !mayOverwrite(call)))
    return plainTextResponse('File already exists', 409);
  await host.files.move(source.path, target);
  return changedFile(host.files, call, to);
}

export async function deleteUserFile({ host }: ImageServer, { url }: RouteCall): Promise<Response> {
  const path = userFilePath(url);
  if (path === undefined) return notAllowed();
  if (path === 'outside') return emptyResponse(403);
  const info = await host.files.stat(joinPath(USER_FOLDER, path));
  if (info?.kind !== 'file') return emptyResponse(404);
  await host.files.delete(info.path);
  return emptyResponse(204);
}

const mayOverwrite = ({ url }: RouteCall) => url.searchParams.get('overwrite') !== 'false';

/** The file that was written or moved: its path, or all about it. */
async function changedFile(
  files: ImageServer['host']['files'],
  { url }: RouteCall,
  path: string,
): Promise<Response> {
  const isFull = isTrueParameter(url.searchParams, 'full_info');
  const info = isFull ? await files.stat(joinPath(USER_FOLDER, path)) : undefined;
  return pythonJsonResponse(info ? fullInfo(info, path) : path);
}

/** Times are seconds since 1970. */
const fullInfo = (info: FileInfo, path: string) => ({
  path,
  size: info.size,
  modified: info.modifiedAt / 1000,
  created: info.createdAt / 1000,
});

const treeEntry = ({ path, kind, size, modifiedAt }: FileInfo) => ({
  name: baseName(path),
  path: path.slice(USER_FOLDER.length + 1),
  type: kind === 'folder' ? 'directory' : 'file',
  ...(kind === 'file' && { size, modified: modifiedAt / 1000 }),
});

const notAllowed = () => methodNotAllowed(['DELETE', 'GET', 'HEAD', 'POST']);
