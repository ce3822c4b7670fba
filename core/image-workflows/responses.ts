/** Responses as ComfyUI prints them. */
import { BytesResponse, textResponse } from '#core/http';
import { pythonJson } from './python/python-json.ts';

/** JSON with Python's spacing and escapes. */
export function pythonJsonResponse(value: unknown, status = 200): Response {
  return textResponse(pythonJson(value), status, 'application/json; charset=utf-8');
}

export function plainTextResponse(body: string, status: number, headers: HeadersInit = {}): Response {
  return textResponse(body, status, 'text/plain; charset=utf-8', headers);
}

export function bytesResponse(
  bytes: Uint8Array,
  contentType: string,
  headers: Record<string, string> = {},
): Response {
  return new BytesResponse(bytes as Uint8Array<ArrayBuffer>, {
    headers: { 'content-type': contentType, 'content-length': String(bytes.length), ...headers },
  });
}

/** A method that the path does not have, in aiohttp's words. */
export function methodNotAllowed(allowed: readonly string[]): Response {
  return plainTextResponse('405: Method Not Allowed', 405, { allow: allowed.join(',') });
}
