/** Query parameters of the routes of data tables. */
import { ApiError } from '#core/http';

/**
 * A parameter that holds JSON. Undefined without the parameter.
 * @throws ApiError 400
 */
export function queryJson(query: URLSearchParams, name: string): unknown {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, `request/query/${name} must be JSON`);
  }
}

/**
 * `sortBy` in the form `column:asc` or `column:desc`. Undefined without the parameter.
 * @throws ApiError 400
 */
export function sortOf(query: URLSearchParams): { column: string; descending: boolean } | undefined {
  const text = query.get('sortBy');
  if (text === null || text === '') return undefined;
  const [, column, direction] = /^(.+):(asc|desc)$/i.exec(text) ?? [];
  if (!column || !direction)
    throw new ApiError(400, 'request/query/sortBy must have the form column:asc or column:desc');
  return { column, descending: direction.toLowerCase() === 'desc' };
}
