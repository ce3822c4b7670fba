import { ApiError } from '#core/http';
import { splitSource } from '../registry/names/source-suffix.ts';

/**
 * The name without white space and `:local`. Throws ApiError: 403 for a cloud model (there is no cloud here; `what`
 * completes the text), 400 when both sources are asked for.
 */
export function localName(spelled: string, what = 'remote model is unavailable'): string {
  const { name, source } = splitSource(spelled);
  if (source === 'cloud') throw new ApiError(403, `ollama cloud is disabled: ${what}`);
  return name;
}
