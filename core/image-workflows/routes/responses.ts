/** Answers as clients of document 2 get them. */

import {
  ApiError,
  emptyResponse,
  JsonSyntaxError,
  type RouteCall,
  readBytes,
  textResponse,
} from '#core/http';
import { pythonJson } from '../python/python-json.ts';
import { type PythonValue, parsePythonJson } from '../python/python-value.ts';
import { MAX_UPLOAD_SIZE } from '../sockets/socket-hub.ts';

export function json(value: unknown, status = 200): Response {
  return textResponse(pythonJson(value), status, 'application/json; charset=utf-8');
}

export const text = (body: string, status: number, headers: HeadersInit = {}): Response =>
  textResponse(body, status, 'text/plain; charset=utf-8', headers);

export const empty = emptyResponse;

/** A body beyond the limit, with the text that clients know. */
export class TooLarge extends Error {
  override name = 'TooLarge';
}

export async function readBody({ request, signal }: RouteCall): Promise<Uint8Array> {
  try {
    return await readBytes(request, MAX_UPLOAD_SIZE, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) throw new TooLarge();
    throw error;
  }
}

/** The body as JSON, whatever its content type. Throws ApiError 400; `whenEmpty` is what no body stands for. */
export async function readValue(call: RouteCall, whenEmpty?: PythonValue): Promise<PythonValue> {
  const bytes = await readBody(call);
  if (bytes.length === 0 && whenEmpty !== undefined) return whenEmpty;
  try {
    return parsePythonJson(new TextDecoder().decode(bytes as Uint8Array<ArrayBuffer>));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ApiError(400, `the body is not JSON: ${error.message}`);
  }
}
