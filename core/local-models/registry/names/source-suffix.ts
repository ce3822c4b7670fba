import { ApiError } from '#core/http';

export interface SourcedName {
  /** The name without surrounding white space, and without a suffix `:local` or `:cloud`. */
  name: string;
  /** Undefined: the reference names no source. */
  source?: 'local' | 'cloud';
}

/**
 * Removes the source from a model reference: `m:local`, `m:tag:local`, `m:cloud`. A tag such as `120b-cloud` names a
 * source as well, and remains.
 * @throws ApiError 400 when a reference names both sources
 */
export function splitSource(reference: string): SourcedName {
  const trimmed = reference.trim();
  let name = trimmed;
  const sources = new Set<'local' | 'cloud'>();
  for (let suffix = suffixOf(name); suffix; suffix = suffixOf(name)) {
    sources.add(suffix);
    name = name.slice(0, -suffix.length - 1);
  }
  const tag = name.slice(name.lastIndexOf('/') + 1);
  if (/:.*-cloud$/i.test(tag)) sources.add('cloud');
  if (sources.size > 1) {
    throw new ApiError(400, `use either :local or :cloud, not both: ${JSON.stringify(trimmed)}`);
  }
  const [source] = sources;
  return source ? { name, source } : { name };
}

function suffixOf(name: string): 'local' | 'cloud' | undefined {
  const match = /:(local|cloud)$/i.exec(name);
  return match ? (match[1]!.toLowerCase() as 'local' | 'cloud') : undefined;
}
