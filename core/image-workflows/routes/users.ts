/** Users, their settings and files. There is one user here, as the system imitated has by default. */

import type { FileInfo } from '#core/host';
import { ApiError, type Route, type RouteCall } from '#core/http';
import { joinPath, relativePath } from '../files/paths.ts';
import { pythonValueJson } from '../python/python-json.ts';
import {
  isPythonObject,
  type PythonObject,
  type PythonValue,
  parsePythonJson,
} from '../python/python-value.ts';
import type { ImageServer } from '../server.ts';
import { empty, json, readBody, readValue, text } from './responses.ts';
import { sendFile } from './send-file.ts';

const HOME = 'user/default';
const SETTINGS = `${HOME}/comfy.settings.json`;
const USERS = 'user/users.json';

export function userRoutes({ host }: ImageServer): Route[] {
  const { files } = host;
  const readObject = async (path: string): Promise<PythonObject> => {
    if ((await files.stat(path))?.kind !== 'file') return new Map();
    try {
      const value = parsePythonJson(new TextDecoder().decode(await files.read(path)));
      return isPythonObject(value) ? value : new Map();
    } catch {
      return new Map();
    }
  };
  const writeObject = (path: string, value: PythonObject) =>
    files.write(path, new TextEncoder().encode(pythonValueJson(value)));

  // One after another: two that change settings at once must not lose one.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };

  return [
    {
      method: 'GET',
      path: '/users',
      handle: async () => json({ storage: 'server', migrated: (await files.stat(HOME)) !== undefined }),
    },
    {
      method: 'POST',
      path: '/users',
      handle: async (call) => {
        const body = await readValue(call);
        const name = isPythonObject(body) ? body.get('username') : undefined;
        if (typeof name !== 'string' || name.trim() === '')
          throw new ApiError(400, 'the body must be {"username": "..."}');
        return inTurn(async () => {
          const users = await readObject(USERS);
          if ([...users.values()].includes(name)) throw new ApiError(400, 'Duplicate username.');
          const id = `${name.replace(/[^A-Za-z0-9_-]+/g, '-')}_${crypto.randomUUID()}`;
          await writeObject(USERS, new Map([...users, [id, name]]));
          return json(id);
        });
      },
    },
    { method: 'GET', path: '/settings', handle: async () => json(rawJson(await readObject(SETTINGS))) },
    {
      method: 'GET',
      path: '/settings/:id',
      handle: async ({ params }) => json(rawJson((await readObject(SETTINGS)).get(params.id!) ?? null)),
    },
    {
      method: 'POST',
      path: '/settings',
      handle: async (call) => {
        const body = await readValue(call);
        if (!isPythonObject(body)) throw new ApiError(400, 'the body must be an object of settings');
        await inTurn(async () => writeObject(SETTINGS, new Map([...(await readObject(SETTINGS)), ...body])));
        return empty(200);
      },
    },
    {
      method: 'POST',
      path: '/settings/:id',
      handle: async (call) => {
        const value = await readValue(call);
        await inTurn(async () =>
          writeObject(SETTINGS, new Map([...(await readObject(SETTINGS)), [call.params.id!, value]])),
        );
        return empty(200);
      },
    },
    { method: 'GET', path: '/userdata', handle: ({ url }) => listFolder(url.searchParams) },
    {
      method: 'GET',
      path: '/v2/userdata',
      handle: ({ url }) => listTree(url.searchParams.get('path') ?? ''),
    },
    {
      method: 'GET',
      path: '/userdata/*file',
      handle: async ({ url, request }) => {
        const path = filePath(url);
        if (path === undefined) return empty(404);
        if (path === 'outside') return empty(403);
        return (await sendFile(files, joinPath(HOME, path), request)) ?? empty(404);
      },
    },
    {
      method: 'POST',
      path: '/userdata/*file',
      handle: (call) => (isMove(call.url) ? move(call) : write(call)),
    },
    {
      method: 'DELETE',
      path: '/userdata/*file',
      handle: async ({ url }) => {
        const path = filePath(url);
        if (path === undefined) return notAllowed();
        if (path === 'outside') return empty(403);
        const info = await files.stat(joinPath(HOME, path));
        if (info?.kind !== 'file') return empty(404);
        await files.delete(info.path);
        return empty(204);
      },
    },
  ];

  async function listFolder(query: URLSearchParams): Promise<Response> {
    const dir = query.get('dir');
    if (!dir) return text('Directory not provided', 400);
    const inside = relativePath(dir);
    if (inside === undefined) return text('Invalid directory', 403);
    const folder = joinPath(HOME, inside);
    const found = await filesBelow(folder, query.get('recurse')?.toLowerCase() === 'true');
    if (!found) return text('Directory not found', 404);
    const names = found.map((info) => ({ info, path: info.path.slice(folder.length + 1) }));
    names.sort((a, b) => (a.path < b.path ? -1 : 1));
    if (query.get('full_info')?.toLowerCase() === 'true')
      return json(names.map(({ info, path }) => about(info, path)));
    const split = query.get('split')?.toLowerCase() === 'true';
    return json(names.map(({ path }) => (split ? [path, ...path.split('/')] : path)));
  }

  async function listTree(path: string): Promise<Response> {
    const inside = relativePath(path);
    if (inside === undefined) return text('Invalid path requested', 400);
    const folder = joinPath(HOME, inside);
    const info = await files.stat(folder);
    if (!info && inside === '') return json([]);
    if (!info) return text('Requested path not found', 404);
    if (info.kind !== 'folder') return text('Requested path is not a directory', 400);
    const found = (await filesBelow(folder, true, true)) ?? [];
    const entries = found.map(({ path: at, kind, size, modifiedAt }) => ({
      name: at.slice(at.lastIndexOf('/') + 1),
      path: at.slice(HOME.length + 1),
      type: kind === 'folder' ? 'directory' : 'file',
      ...(kind === 'file' && { size, modified: modifiedAt / 1000 }),
    }));
    entries.sort((a, b) => {
      if (a.type !== b.type) return a.type === 'directory' ? -1 : 1;
      return a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1;
    });
    return json(entries);
  }

  async function write(call: RouteCall): Promise<Response> {
    const path = filePath(call.url);
    if (path === undefined) return notAllowed();
    if (path === 'outside') return empty(403);
    const bytes = await readBody(call);
    const mayOverwrite = call.url.searchParams.get('overwrite') !== 'false';
    const target = joinPath(HOME, path);
    if ((await files.stat(target))?.kind === 'folder') return text('There is a folder of that name', 409);
    if (!(await files.write(target, bytes, { exclusive: !mayOverwrite })))
      return text('File already exists', 409);
    return told(call, path);
  }

  async function move(call: RouteCall): Promise<Response> {
    const [from, to] = movePaths(call.url);
    if (from === 'outside' || to === 'outside') return empty(403);
    const source = await files.stat(joinPath(HOME, from));
    if (source?.kind !== 'file') return empty(404);
    const target = joinPath(HOME, to);
    const there = await files.stat(target);
    if (there?.kind === 'folder' || (there && call.url.searchParams.get('overwrite') === 'false'))
      return text('File already exists', 409);
    await files.move(source.path, target);
    return told(call, to);
  }

  async function told({ url }: RouteCall, path: string): Promise<Response> {
    const isFull = url.searchParams.get('full_info')?.toLowerCase() === 'true';
    const info = isFull ? await files.stat(joinPath(HOME, path)) : undefined;
    return json(info ? about(info, path) : path);
  }

  async function filesBelow(
    folder: string,
    deep: boolean,
    withFolders = false,
  ): Promise<FileInfo[] | undefined> {
    const direct = await files.list(folder);
    if (!direct) return undefined;
    const found: FileInfo[] = [];
    for (const info of direct) {
      if (info.kind === 'file' || withFolders) found.push(info);
      if (info.kind === 'folder' && deep)
        found.push(...((await filesBelow(info.path, true, withFolders)) ?? []));
    }
    return found;
  }
}

const about = (info: FileInfo, path: string) => ({
  path,
  size: info.size,
  modified: info.modifiedAt / 1000,
  created: info.createdAt / 1000,
});

const rawJson = (value: PythonValue) => JSON.parse(pythonValueJson(value)) as unknown;

const notAllowed = () => text('405: Method Not Allowed', 405, { allow: 'DELETE,GET,HEAD,POST' });

/** The parts of the address behind `/userdata/`, each decoded: `%2F` belongs to a part. */
function parts(url: URL): string[] {
  const raw = url.pathname.split('/userdata/')[1] ?? '';
  return raw.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

const isMove = (url: URL) => parts(url).length === 3 && parts(url)[1] === 'move';

const inside = (path: string) => relativePath(path) || 'outside';

/** undefined: a slash that is not encoded. */
function filePath(url: URL): string | undefined {
  const [file, ...more] = parts(url);
  return more.length > 0 ? undefined : inside(file!);
}

function movePaths(url: URL): [string, string] {
  const [from, , to] = parts(url);
  return [inside(from!), inside(to!)];
}
