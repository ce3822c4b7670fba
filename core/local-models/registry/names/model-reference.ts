import { ApiError } from '#core/http';
import type { ModelName } from '../../base/installed-model.ts';
import { defaultHost, defaultNamespace, defaultTag, isValid, tryParseName } from './model-name.ts';
import { quantLabel } from './quantization-label.ts';
import { splitSource } from './source-suffix.ts';

/** What a client may give to a pull. */
export type Reference =
  | { kind: 'name'; name: ModelName }
  /** A model file at a web address. */
  | { kind: 'url'; name: ModelName; url: string }
  /** A file that only a platform's own source can fetch: `pypi:NAME==VERSION!path`. */
  | { kind: 'package'; name: ModelName; uri: string };

/**
 * A name, or the address of a `.gguf` file, for which a name is made: a file of a hub repository is called
 * `hf.co/user/repo:QUANT`, another one after the file. Throws ApiError 400 `invalid model name`.
 */
export function parseReference(text: string): Reference {
  const { name: reference } = splitSource(text);
  if (/^pypi:/.test(reference)) {
    return { kind: 'package', name: nameOfFile(reference.split('!').at(-1)!), uri: reference };
  }
  if (/^https?:\/\//i.test(reference) && URL.canParse(reference)) {
    const url = new URL(reference);
    if (/\.gguf$/i.test(url.pathname)) {
      return { kind: 'url', name: nameOfHubFile(url) ?? nameOfFile(url.pathname), url: reference };
    }
  }
  const name = tryParseName(reference);
  if (!name) throw new ApiError(400, 'invalid model name');
  return { kind: 'name', name };
}

/** `SmolLM2-135M-Instruct.Q4_1.gguf` -> `SmolLM2-135M-Instruct:Q4_1`. */
export function nameOfFile(path: string): ModelName {
  const file = decode(path.split(/[/\\]/).at(-1) ?? '').replace(/\.gguf$/i, '');
  const quant = quantLabel(file);
  const stem = quant ? file.slice(0, file.toUpperCase().lastIndexOf(quant.toUpperCase())) : file;
  const model = tidy(stem) || tidy(file);
  const name = { host: defaultHost, namespace: defaultNamespace, model, tag: quant ?? defaultTag };
  if (!isValid(name)) throw new ApiError(400, 'invalid model name');
  return name;
}

function nameOfHubFile(url: URL): ModelName | undefined {
  const hub = /^(hf\.co|huggingface\.co)$/i.exec(url.hostname);
  const path = /^\/([^/]+)\/([^/]+)\/(?:resolve|blob)\/[^/]+\/(.+)$/.exec(url.pathname);
  if (!hub || !path) return undefined;
  const file = nameOfFile(path[3]!);
  const tag = file.tag === defaultTag ? file.model : file.tag;
  const name = { host: 'hf.co', namespace: path[1]!, model: path[2]!, tag };
  return isValid(name) ? name : undefined;
}

function tidy(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[.-]+|[._-]+$/g, '')
    .slice(0, 80);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
