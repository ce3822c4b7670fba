/** The user's settings: one JSON object, changed as a whole or by member. */
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import { pythonValueJson } from '../python/python-json.ts';
import { isPythonObject, type PythonValue } from '../python/python-value.ts';
import { readJsonBody } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { USER_FOLDER } from './user-folder.ts';

const SETTINGS = `${USER_FOLDER}/comfy.settings.json`;

export async function showSettings({ jsonFiles }: ImageServer): Promise<Response> {
  return settingResponse(await jsonFiles.read(SETTINGS));
}

/** A setting without a value is null. */
export async function showSetting({ jsonFiles }: ImageServer, { params }: RouteCall): Promise<Response> {
  return settingResponse((await jsonFiles.read(SETTINGS)).get(params.id!) ?? null);
}

export async function mergeSettings({ jsonFiles }: ImageServer, call: RouteCall): Promise<Response> {
  const body = await readJsonBody(call);
  if (!isPythonObject(body)) throw new ApiError(400, 'the body must be an object of settings');
  await jsonFiles.update(SETTINGS, (settings) => new Map([...settings, ...body]));
  return emptyResponse(200);
}

export async function saveSetting({ jsonFiles }: ImageServer, call: RouteCall): Promise<Response> {
  const value = await readJsonBody(call);
  await jsonFiles.update(SETTINGS, (settings) => new Map([...settings, [call.params.id!, value]]));
  return emptyResponse(200);
}

/** The editor writes numbers as JavaScript does, so they are printed the same way: 8, where Python has 8.0. */
function settingResponse(value: PythonValue): Response {
  return pythonJsonResponse(JSON.parse(pythonValueJson(value)));
}
