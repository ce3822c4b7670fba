/** Query parameters. A value that cannot be read is an `ApiError` 400 that names the parameter. */
import { ApiError } from '#core/http';

/** A comma-separated list of `allowed` words. Undefined when absent or empty. */
export function wordsParameter(
  query: URLSearchParams,
  name: string,
  allowed: readonly string[],
): string[] | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const words = text.split(',').map((word) => word.trim());
  const wrong = words.find((word) => !allowed.includes(word));
  if (wrong !== undefined)
    throw new ApiError(400, `${name} must be one of ${allowed.join(', ')}, not ${wrong}`);
  return words;
}

/** An integer of at least `min`. */
export function countParameter(query: URLSearchParams, name: string, min: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const count = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(count >= min))
    throw new ApiError(400, `${name} must be a whole number of at least ${min}, not ${text}`);
  return count;
}

/** An integer, possibly negative. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new ApiError(400, `${name} is not a whole number: ${text}`);
  return Number(text);
}

/** Whether the parameter is `true`, in upper or lower case. */
export function isTrueParameter(query: URLSearchParams, name: string): boolean {
  return query.get(name)?.toLowerCase() === 'true';
}
