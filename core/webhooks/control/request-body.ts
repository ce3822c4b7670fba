/** JSON bodies of the control API, and checks of their fields. */
import { isObject } from '#core/base';
import { ApiError, decodeText, parsePlainJson, type RouteCall, readBodyBytes } from '#core/http';

/** Bytes of one workflow, at most. */
const MAX_BODY = 16 * 1024 * 1024;
/** Functions that walk a value are recursive. */
const MAX_DEPTH = 500;

/**
 * Reads a JSON object. An empty body is an empty object.
 * @throws ApiError 400 for other JSON, 413 for a body that is too large
 */
export async function readJsonObject({
  request,
  signal,
}: Pick<RouteCall, 'request' | 'signal'>): Promise<Record<string, unknown>> {
  const bytes = await readBodyBytes(request, MAX_BODY, signal);
  if (bytes.byteLength === 0) return {};
  let value: unknown;
  try {
    value = await parsePlainJson(await decodeText(bytes, signal), MAX_DEPTH, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new ApiError(400, `The body is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new ApiError(400, 'request/body must be object');
  return value;
}

/** @throws ApiError 400 that names the first missing property */
export function requireProperties(body: Record<string, unknown>, names: string[]): void {
  for (const name of names) {
    if (body[name] === undefined) {
      throw new ApiError(400, `request/body must have required property '${name}'`);
    }
  }
}

/**
 * The text properties among `names`, as an object to spread. Missing and null ones are left out.
 * @throws ApiError 400 for a property that is no text
 */
export function optionalTexts<Name extends string>(
  body: Record<string, unknown>,
  ...names: Name[]
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw new ApiError(400, `request/body/${name} must be string`);
    texts[name] = value;
  }
  return texts;
}
