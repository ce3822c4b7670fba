import { printJson } from '../json/print-json.ts';
import { BytesResponse } from './bytes-response.ts';

const encoder = new TextEncoder();

/** A response with a text and its length. */
export function textResponse(
  body: string,
  status: number,
  contentType: string,
  headers: HeadersInit = {},
): Response {
  const bytes = encoder.encode(body);
  const allHeaders = new Headers(headers);
  allHeaders.set('content-type', contentType);
  allHeaders.set('content-length', String(bytes.length));
  return new BytesResponse(bytes, { status, headers: allHeaders });
}

/** A response with JSON as Go prints it, see `printJson`. */
export function jsonResponse(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return textResponse(printJson(value), status, 'application/json; charset=utf-8', headers);
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
