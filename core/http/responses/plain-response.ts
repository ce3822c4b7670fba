import { printJson } from '../json/print-json.ts';
import { BytesResponse } from './bytes-response.ts';

const encoder = new TextEncoder();

/** A response with a text and its length. */
export function textResponse(
  body: string,
  status: number,
  contentType: string,
  headers?: HeadersInit,
): Response {
  const bytes = encoder.encode(body);
  const own = { 'content-type': contentType, 'content-length': String(bytes.length) };
  const allHeaders = new Headers(headers ?? own);
  if (headers) for (const [name, value] of Object.entries(own)) allHeaders.set(name, value);
  // UTF-8 has as many bytes as the text has letters only if all are ASCII.
  const ascii = bytes.length === body.length ? body : undefined;
  return new BytesResponse(bytes, { status, headers: allHeaders }, ascii);
}

/** A response with JSON as Go prints it, see `printJson`. */
export function jsonResponse(value: unknown, status = 200, headers?: HeadersInit): Response {
  return textResponse(printJson(value), status, 'application/json; charset=utf-8', headers);
}

/** Answers with the same JSON each time, which is printed once. */
export function keptJsonResponse(value: unknown): () => Response {
  const text = printJson(value);
  const content = encoder.encode(text);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(content.length),
  };
  return () => new BytesResponse(content, { headers }, content.length === text.length ? text : undefined);
}

/** A response without a body. Its length is 0, except for 204, which may carry none. */
export function emptyResponse(status: number, headers: HeadersInit = {}): Response {
  const allHeaders = new Headers(headers);
  if (status !== 204) allHeaders.set('content-length', '0');
  return new Response(null, { status, headers: allHeaders });
}

/**
 * Sets headers of a response: on the response itself or, where its headers are immutable (redirects, responses of
 * `fetch`), on a copy. Returns that response.
 */
export function withHeaders(response: Response, extra: HeadersInit): Response {
  const entries = isRecord(extra) ? Object.entries(extra) : [...new Headers(extra)];
  if (entries.length === 0) return response;
  try {
    for (const [name, value] of entries) response.headers.set(name, value);
    return response;
  } catch {
    const headers = new Headers(response.headers);
    for (const [name, value] of entries) headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  }
}

const isRecord = (headers: HeadersInit): headers is Record<string, string> =>
  Object.getPrototypeOf(headers) === Object.prototype;
