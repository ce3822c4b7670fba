import { ApiError } from '#core/http';
import type { ModelName } from '../../base/installed-model.ts';

export const defaultHost = 'registry.ollama.ai';
export const defaultNamespace = 'library';
export const defaultTag = 'latest';

/** `[scheme://][host/][namespace/]model[:tag]`; throws ApiError 400 `invalid model name`. */
export function parseName(text: string): ModelName {
  const name = tryParseName(text);
  if (!name) throw new ApiError(400, 'invalid model name');
  return name;
}

/** undefined: not a valid name. A suffix such as `:local` must have been taken off (`splitSource`). */
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

/** The shortest way to write it: default host and namespace dropped, the tag always there. */
export function displayName(name: ModelName): string {
  const { host, namespace, model, tag } = name;
  if (!same(host, defaultHost)) return `${host}/${namespace}/${model}:${tag}`;
  if (!same(namespace, defaultNamespace)) return `${namespace}/${model}:${tag}`;
  return `${model}:${tag}`;
}

/** One key for all spellings of a name: every part, in lower case. */
export function canonicalName(name: ModelName): string {
  return `${name.host}/${name.namespace}/${name.model}:${name.tag}`.toLowerCase();
}

export function isValid(name: ModelName): boolean {
  return (
    isPart(name.host, 350, '.:') &&
    isPart(name.namespace, 80, '') &&
    isPart(name.model, 80, '.') &&
    isPart(name.tag, 80, '.')
  );
}

function isPart(part: string, longest: number, besides: string): boolean {
  if (part.length < 1 || part.length > longest || !/^[A-Za-z0-9_]/.test(part)) return false;
  return [...part].every((each) => /[A-Za-z0-9_-]/.test(each) || besides.includes(each));
}

/** Splits at the last slash; without one the first part is undefined. */
function cutLast(text: string): [before: string | undefined, after: string] {
  const slash = text.lastIndexOf('/');
  return slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
