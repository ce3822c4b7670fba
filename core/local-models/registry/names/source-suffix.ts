import { ApiError } from '#core/http';

export interface SourcedName {
  /** Without white space around it and without a `:local` or `:cloud` suffix. */
  name: string;
  /** undefined: not said. */
  source?: 'local' | 'cloud';
}

/**
 * Takes the source selectors off a model reference: `m:local`, `m:tag:local`, `m:cloud`, and `m:tag-cloud`, whose tag
 * keeps its `-cloud`. Throws ApiError 400 when both are there.
 */
export function splitSource(reference: string): SourcedName {
  const trimmed = reference.trim();
  let name = trimmed;
  const said = new Set<'local' | 'cloud'>();
  for (let suffix = suffixOf(name); suffix; suffix = suffixOf(name)) {
    said.add(suffix);
    name = name.slice(0, -suffix.length - 1);
  }
  const tag = name.slice(name.lastIndexOf('/') + 1);
  if (/:.*-cloud$/i.test(tag)) said.add('cloud');
  if (said.size > 1) {
    throw new ApiError(400, `use either :local or :cloud, not both: ${JSON.stringify(trimmed)}`);
  }
  const [source] = said;
  return source ? { name, source } : { name };
}

function suffixOf(name: string): 'local' | 'cloud' | undefined {
  const match = /:(local|cloud)$/i.exec(name);
  return match ? (match[1]!.toLowerCase() as 'local' | 'cloud') : undefined;
}
