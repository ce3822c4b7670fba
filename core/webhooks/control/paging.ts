/** Lists in pages: `limit` is the size of a page, `cursor` its start. Also flags in the query. */
import { ApiError } from '#core/http';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 250;

/** @throws ApiError 400 */
export function limitOf(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1) throw new ApiError(400, 'request/query/limit must be >= 1');
  if (limit > MAX_LIMIT) throw new ApiError(400, `request/query/limit must be <= ${MAX_LIMIT}`);
  return limit;
}

/**
 * The key of the last entry of the previous page.
 * @throws ApiError 400
 */
export function cursorOf(query: URLSearchParams): string | undefined {
  const cursor = query.get('cursor');
  if (!cursor) return undefined;
  try {
    const { after } = JSON.parse(atob(cursor)) as { after: unknown };
    if (typeof after === 'string') return after;
  } catch {
    // The cursor is not base64 or not JSON: the error below says so.
  }
  throw new ApiError(400, 'An invalid cursor was provided');
}

/** @param rows one row more than `limit`, if there is a next page */
export function page<T>(
  rows: T[],
  limit: number,
  keyOf: (row: T) => string,
): { rows: T[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasNext = rows.length > limit && last !== undefined;
  return { rows: shown, nextCursor: hasNext ? btoa(JSON.stringify({ after: keyOf(last) })) : null };
}

/**
 * `true` or `false`. Undefined without the parameter.
 * @throws ApiError 400
 */
export function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text !== 'true' && text !== 'false') throw new ApiError(400, `request/query/${name} must be boolean`);
  return text === 'true';
}
