/** Small JSON bodies and answers of the page's own routes. No cache keeps the answers. */
import { isObject } from '#core/base';
import { readBodyBytes } from '#core/http';

const headers = { 'cache-control': 'no-store' };

/** The object in a body of at most `maxBytes`. An empty one for any other body. */
export async function readSmallJson(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  try {
    const bytes = await readBodyBytes(request, maxBytes, request.signal);
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function sent(value: object): Response {
  return Response.json(value, { headers });
}

export function failed(status: number, error: string): Response {
  return Response.json({ error }, { status, headers });
}
