/** For the server's own pages: its log, and the files it has made. */

import type { FileInfo, Files } from '#core/host';
import { ApiError, type Route, type RouteCall } from '#core/http';
import { MODEL_FOLDERS, modelLocations, modelPathOf } from '../files/model-folders.ts';
import { isFolderName, joinPath, relativePath } from '../files/paths.ts';
import { graphsOf } from '../models/graphs/graph-registry.ts';
import { isPythonObject, type PythonValue } from '../python/python-value.ts';
import type { ImageServer } from '../server.ts';
import { empty, json, readValue } from './responses.ts';

const SIZE = { cols: 80, rows: 24 };
const DAY = 24 * 3600 * 1000;

export function internalRoutes(server: ImageServer): Route[] {
  const { host, lines, sockets } = server;
  const subscribers = new Set<string>();
  lines.subscribe((entry) => {
    for (const id of subscribers) sockets.send(id, 'logs', { entries: [entry], size: null });
  });
  return [
    {
      method: 'GET',
      path: '/internal/logs',
      handle: () => json(lines.entries.map(({ t, m }) => `${t} - ${m}`).join('')),
    },
    { method: 'GET', path: '/internal/logs/raw', handle: () => json({ entries: lines.entries, size: SIZE }) },
    {
      method: 'PATCH',
      path: '/internal/logs/subscribe',
      handle: async (call) => {
        const body = await readValue(call);
        const id = isPythonObject(body) ? body.get('clientId') : undefined;
        if (!isPythonObject(body) || typeof id !== 'string')
          throw new ApiError(400, 'the body must be {"clientId": "...", "enabled": true}');
        if (body.get('enabled') === true) subscribers.add(id);
        else subscribers.delete(id);
        return empty(200);
      },
    },
    {
      method: 'GET',
      path: '/internal/folder_paths',
      handle: () => json(Object.fromEntries(MODEL_FOLDERS.map((name) => [name, modelLocations(name)]))),
    },
    {
      method: 'GET',
      path: '/internal/files/:folder',
      handle: async ({ params, url }) => {
        const folder = folderOf(params.folder!);
        const isFull = url.searchParams.get('full_info') === 'true';
        // Names alone are those of the folder itself, as clients know them; all of them only when asked for in full.
        const found = isFull ? await filesBelow(host.files, folder) : ((await host.files.list(folder)) ?? []);
        const newest = found
          .filter(({ kind }) => kind === 'file')
          .sort((a, b) => b.modifiedAt - a.modifiedAt);
        const name = ({ path }: FileInfo) => path.slice(folder.length + 1);
        return json(
          isFull
            ? newest.map((info) => ({ path: name(info), size: info.size, modified: info.modifiedAt / 1000 }))
            : newest.map(name),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/internal/files/:folder/*path',
      handle: async ({ params }) => {
        const path = relativePath(params.path!);
        if (!path) throw new ApiError(400, 'this path leaves the folder');
        const place = joinPath(folderOf(params.folder!), path);
        const deleted = await host.files.delete(place);
        const seen = modelPathOf(place);
        if (deleted && seen !== undefined) {
          const { queue } = await server.ready();
          queue.whenIdle(() => void graphsOf(host).forget(seen));
        }
        return empty(deleted ? 204 : 404);
      },
    },
    { method: 'POST', path: '/internal/files/:folder/prune', handle: (call) => prune(host, call) },
  ];
}

/**
 * Deletes files that are older than `older_than_days`, then the oldest until `max_bytes` are left. Saved models stay, and do not
 * count: their files are worth nothing one by one.
 */
async function prune(host: ImageServer['host'], call: RouteCall): Promise<Response> {
  const folder = folderOf(call.params.folder!);
  const body = await readValue(call);
  const days = isPythonObject(body) ? limitOf(body.get('older_than_days'), 'older_than_days') : undefined;
  const bytes = isPythonObject(body) ? limitOf(body.get('max_bytes'), 'max_bytes') : undefined;
  if (days === undefined && bytes === undefined)
    throw new ApiError(400, 'say what may go: {"older_than_days": 30} or {"max_bytes": 1000000000}, or both');
  const all = await filesBelow(host.files, folder);
  const found = all
    .filter(({ path }) => modelPathOf(path) === undefined)
    .sort((a, b) => a.modifiedAt - b.modifiedAt);
  const before = days === undefined ? Number.NEGATIVE_INFINITY : host.clock.now() - days * DAY;
  let left = found.reduce((sum, { size }) => sum + size, 0);
  let [deleted, freed] = [0, 0];
  for (const { path, size, modifiedAt } of found) {
    call.signal.throwIfAborted();
    if (modifiedAt >= before && (bytes === undefined || left <= bytes)) continue;
    if (!(await host.files.delete(path))) continue;
    left -= size;
    freed += size;
    deleted++;
  }
  return json({ deleted, freed_bytes: freed, remaining_bytes: left });
}

function folderOf(name: string): string {
  if (!isFolderName(name)) throw new ApiError(400, 'Invalid directory type');
  return name;
}

function limitOf(value: PythonValue | undefined, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (!(number >= 0)) throw new ApiError(400, `${name} must be a number that is not negative`);
  return number;
}

async function filesBelow(files: Files, folder: string): Promise<FileInfo[]> {
  const found: FileInfo[] = [];
  for (const info of (await files.list(folder)) ?? []) {
    if (info.kind === 'file') found.push(info);
    else found.push(...(await filesBelow(files, info.path)));
  }
  return found;
}
