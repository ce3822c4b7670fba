/** POST /api/create */
import type { Digest } from '#core/host';
import {
  ApiError,
  arrayOf,
  booleanField,
  decodeBody,
  encodeBase64,
  type JsonNode,
  mapOf,
  omitIfEmpty,
  type RouteCall,
  rawField,
  readBodyJson,
  stringField,
  structOf,
  toPlainValue,
} from '#core/http';
import type { Message } from '../base/messages.ts';
import { tryParseName } from '../registry/names/model-name.ts';
import { splitSource } from '../registry/names/source-suffix.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { readDigest } from './blobs.ts';
import { message, readMessage } from './fields.ts';
import { progressResponse } from './progress.ts';
import { wireToolCalls } from './wire.ts';

const files = mapOf(stringField, 'map[string]string');
const anything = mapOf(rawField, 'map[string]interface {}');

const createFields = structOf('api.CreateRequest', {
  model: stringField,
  stream: booleanField,
  quantize: stringField,
  from: stringField,
  remote_host: stringField,
  files,
  adapters: files,
  draft_files: files,
  draft_quantize: stringField,
  template: stringField,
  license: rawField,
  system: stringField,
  parameters: anything,
  messages: arrayOf(message, '[]api.Message'),
  renderer: stringField,
  parser: stringField,
  requires: stringField,
  info: anything,
  name: stringField,
  quantization: stringField,
});

export async function createModel(
  { registry, host }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(createFields, await readBodyJson(request, signal));
  const modelFiles = readFiles(body.files);
  const adapters = readFiles(body.adapters);
  const model = body.model || body.name || '';
  if (!tryParseName(splitSource(model).name)) throw new ApiError(400, 'invalid model name');
  const licences = readLicences(body.license);
  if (body.draft_files?.length) {
    throw new ApiError(400, 'draft models are not supported here: leave draft_files out');
  }
  return progressResponse(
    host.clock,
    (stop) => {
      if (body.remote_host) throw remoteUnavailable(body.remote_host);
      return registry.create(
        {
          model,
          from: body.from,
          files: modelFiles,
          adapters,
          quantize: body.quantize || body.quantization,
          template: body.template,
          system: body.system,
          licences,
          parameters: readValues(body.parameters),
          messages: (body.messages ?? []).map((each) => wireMessage(readMessage(each ?? {}))),
          renderer: body.renderer,
          parser: body.parser,
          requires: body.requires,
          info: readValues(body.info),
        },
        stop,
      );
    },
    { stream: body.stream ?? true, always500: false },
    signal,
  );
}

function readFiles(members: [string, string | undefined][] | undefined): [string, Digest][] | undefined {
  return members?.map(([path, digest]) => {
    if (!isRelative(path)) throw new ApiError(400, 'file path must be relative');
    return [path, readDigest(digest ?? '')];
  });
}

/** The path has slashes, no empty parts, and stays inside the folder of the Modelfile. */
function isRelative(path: string): boolean {
  return path === '.' || path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** A string or an array of strings. */
function readLicences(node: JsonNode | undefined): string[] {
  if (node === undefined || node.type === 'null') return [];
  if (node.type === 'string') return [node.value];
  if (node.type !== 'array') throw new ApiError(400, 'license must be a string or an array of strings');
  return node.items.map((item) => {
    if (item.type !== 'string') throw new ApiError(400, 'license must be a string or an array of strings');
    return item.value;
  });
}

/** Reads members with any JSON values. Integers above 2^53 are rounded to doubles. */
function readValues(members: [string, JsonNode | undefined][] = []): Record<string, unknown> {
  return Object.fromEntries(
    members.map(([key, node]) => [key, node === undefined ? null : toPlainValue(node)]),
  );
}

function remoteUnavailable(host: string): ApiError {
  const address = /^[a-z]+:\/\//i.test(host) ? host : `https://${host}`;
  if (!URL.canParse(address)) return new ApiError(400, 'bad remote');
  return new ApiError(403, 'ollama cloud is disabled: remote model is unavailable');
}

/** The form of messages in a manifest's layer. */
const wireMessage = (message: Message): Record<string, unknown> => ({
  role: message.role,
  content: message.content,
  thinking: omitIfEmpty(message.thinking),
  images: omitIfEmpty(message.images?.map(encodeBase64)),
  tool_calls: wireToolCalls(message.toolCalls ?? []),
  tool_name: omitIfEmpty(message.toolName),
  tool_call_id: omitIfEmpty(message.toolCallId),
});
