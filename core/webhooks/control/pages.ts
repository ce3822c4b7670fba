/** Lists in pieces: `limit`, and a `cursor` that says where the next piece begins. */
import { ApiError } from '#core/http';

const DEFAULT = 100;
const MOST = 250;

/** Throws `ApiError` 400. */
export function limitOf(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return DEFAULT;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1) throw new ApiError(400, 'request/query/limit must be >= 1');
  if (limit > MOST) throw new ApiError(400, `request/query/limit must be <= ${MOST}`);
  return limit;
}

/** The key of the last entry of the piece before. Throws `ApiError` 400. */
export function cursorOf(query: URLSearchParams): string | undefined {
  const cursor = query.get('cursor');
  if (!cursor) return undefined;
  try {
    const { after } = JSON.parse(atob(cursor)) as { after: unknown };
    if (typeof after === 'string') return after;
  } catch {
    // Said below.
  }
  throw new ApiError(400, 'An invalid cursor was provided');
}

/** `rows`: one more than `limit` where there are more. */
export function page<T>(
  rows: T[],
  limit: number,
  keyOf: (row: T) => string,
): { rows: T[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { rows: shown, nextCursor: more ? btoa(JSON.stringify({ after: keyOf(last) })) : null };
}

/** `true` or `false`; undefined when it is not asked. */
export function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text !== 'true' && text !== 'false') throw new ApiError(400, `request/query/${name} must be boolean`);
  return text === 'true';
}
