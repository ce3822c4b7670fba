import { ApiError } from '#core/http';
import type { ModelName } from '../../base/installed-model.ts';

export const defaultHost = 'registry.ollama.ai';
export const defaultNamespace = 'library';
export const defaultTag = 'latest';

/**
 * Parses `[scheme://][host/][namespace/]model[:tag]`.
 * @throws ApiError 400 `invalid model name`
 */
export function parseName(text: string): ModelName {
  const name = tryParseName(text);
  if (!name) throw new ApiError(400, 'invalid model name');
  return name;
}

/** Undefined: the text is no valid name. Expects a name without a suffix such as `:local` (`splitSource`). */
export function tryParseName(text: string): ModelName | undefined {
  let rest = text;
  let tag = defaultTag;
  const colon = rest.lastIndexOf(':');
  if (colon > rest.lastIndexOf('/')) {
    tag = rest.slice(colon + 1);
    rest = rest.slice(0, colon);
  }
  const [beforeModel, model] = cutLast(rest);
  const [beforeNamespace, namespace] = beforeModel === undefined ? [] : cutLast(beforeModel);
  const scheme = beforeNamespace?.indexOf('://') ?? -1;
  const host = scheme < 0 ? beforeNamespace : beforeNamespace?.slice(scheme + 3);
  const name = {
    host: host ?? defaultHost,
    namespace: namespace ?? defaultNamespace,
    model,
    tag,
  };
  return isValid(name) ? name : undefined;
}

/** The short form of a name: without the default host and namespace, always with the tag. */
export function displayName(name: ModelName): string {
  const { host, namespace, model, tag } = name;
  if (!equalIgnoringCase(host, defaultHost)) return `${host}/${namespace}/${model}:${tag}`;
  if (!equalIgnoringCase(namespace, defaultNamespace)) return `${namespace}/${model}:${tag}`;
  return `${model}:${tag}`;
}

/** The key of a name, the same for all spellings: every part in lower case. */
export function canonicalName(name: ModelName): string {
  return `${name.host}/${name.namespace}/${name.model}:${name.tag}`.toLowerCase();
}

/** Whether every part has a valid length and valid characters. */
export function isValid(name: ModelName): boolean {
  return (
    isPart(name.host, 350, '.:') &&
    isPart(name.namespace, 80, '') &&
    isPart(name.model, 80, '.') &&
    isPart(name.tag, 80, '.')
  );
}

/** @param extra characters that are allowed in addition to letters, digits, `_` and `-` */
function isPart(part: string, maxLength: number, extra: string): boolean {
  if (part.length < 1 || part.length > maxLength || !/^[A-Za-z0-9_]/.test(part)) return false;
  return [...part].every((character) => /[A-Za-z0-9_-]/.test(character) || extra.includes(character));
}

/** Splits at the last slash. Without a slash the first part is undefined. */
function cutLast(text: string): [before: string | undefined, after: string] {
  const slash = text.lastIndexOf('/');
  return slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
}

const equalIgnoringCase = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
