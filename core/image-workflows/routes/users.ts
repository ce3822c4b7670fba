/** Users by name. As in ComfyUI's default, every client works as the one user `default`. */
import { ApiError, type RouteCall } from '#core/http';
import { isPythonObject } from '../python/python-value.ts';
import { readJsonBody } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { USER_FOLDER } from './user-folder.ts';

const USERS = 'user/users.json';

export async function showUsers({ host }: ImageServer): Promise<Response> {
  return pythonJsonResponse({
    storage: 'server',
    migrated: (await host.files.stat(USER_FOLDER)) !== undefined,
  });
}

export async function createUser({ jsonFiles }: ImageServer, call: RouteCall): Promise<Response> {
  const body = await readJsonBody(call);
  const name = isPythonObject(body) ? body.get('username') : undefined;
  if (typeof name !== 'string' || name.trim() === '')
    throw new ApiError(400, 'the body must be {"username": "..."}');
  const id = `${name.replace(/[^A-Za-z0-9_-]+/g, '-')}_${crypto.randomUUID()}`;
  await jsonFiles.update(USERS, (users) => {
    if ([...users.values()].includes(name)) throw new ApiError(400, 'Duplicate username.');
    return new Map([...users, [id, name]]);
  });
  return pythonJsonResponse(id);
}
