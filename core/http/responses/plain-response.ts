/** Plain responses. */
import { printJson } from '../json/print-json.ts';

const encoder = new TextEncoder();

/** A whole body with its length; `ending` is what some dialects write behind the value. */
export function textResponse(
  body: string,
  status: number,
  contentType: string,
  headers: HeadersInit = {},
): Response {
  const bytes = encoder.encode(body);
  const all = new Headers(headers);
  all.set('content-type', contentType);
  all.set('content-length', String(bytes.length));
  return new Response(bytes, { status, headers: all });
}

export function jsonResponse(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return textResponse(printJson(value), status, 'application/json; charset=utf-8', headers);
}

export function emptyResponse(status: number, headers: HeadersInit = {}): Response {
  const all = new Headers(headers);
  if (status !== 204) all.set('content-length', '0');
  return new Response(null, { status, headers: all });
}

/** Adds headers, in place or, where a response forbids that (redirects, answers of `fetch`), to a copy. */
export function withHeaders(response: Response, extra: HeadersInit): Response {
  const added = [...new Headers(extra)];
  try {
    for (const [name, value] of added) response.headers.set(name, value);
    return response;
  } catch {
    const headers = new Headers(response.headers);
    for (const [name, value] of added) headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  }
}
