import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import { asNumber, asObject, asText, type Json } from '../json-fields.ts';
import { readBlobRange } from '../read-blob-range.ts';
import { conversationTemplate } from './conversation-template.ts';

export const CHAT_CONFIG = 'mlc-chat-config.json';
/** The list of the files with weights: its present name and its former one. */
export const TENSOR_LISTS = ['tensor-cache.json', 'ndarray-cache.json'] as const;

/**
 * The metadata of an MLC model, with the keys of GGUF.
 * @throws ModelCorrupt when a file is missing, is no JSON, or has another size than the list of weights says
 */
export async function mlcMetadata(blobs: Pick<Blobs, 'read'>, files: ModelFile[]): Promise<ModelMetadata> {
  const config = await readJson(blobs, files, CHAT_CONFIG);
  if (!config) throw new ModelCorrupt(`it has no ${CHAT_CONFIG}`);
  const tokenizer = (await readJson(blobs, files, 'tokenizer_config.json')) ?? {};
  const [list, formerList] = TENSOR_LISTS;
  const tensors = (await readJson(blobs, files, list)) ?? (await readJson(blobs, files, formerList));
  if (!tensors) throw new ModelCorrupt(`it has no ${list}`);
  checkShards(tensors, files);
  await checkLibrary(blobs, files);

  const architecture = asText(config.model_type) ?? 'unknown';
  const contextLength = contextLengthOf(config);
  const embeddingLength = asNumber(asObject(config.model_config).hidden_size) ?? 0;
  const chatTemplate = chatTemplateOf(tokenizer) ?? conversationTemplate(config.conv_template);
  return {
    architecture,
    quantization: asText(config.quantization) ?? 'unknown',
    parameterCount: parameterCountOf(tensors),
    contextLength,
    embeddingLength,
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
    ...tokenText('bosToken', tokenizer.bos_token),
    ...tokenText('eosToken', tokenizer.eos_token),
    addBos: tokenizer.add_bos_token === true,
    hasVision: false,
    keyValues: keyValuesOf(config, architecture, contextLength, embeddingLength),
    tensors: recordsOf(tensors).map(({ name, dtype, shape }) => ({
      name: asText(name) ?? '',
      type: asText(dtype)?.toUpperCase() ?? 'unknown',
      shape: Array.isArray(shape) ? shape.filter((size) => typeof size === 'number') : [],
    })),
  };
}

/** Paths of the files with weights, in the order of the list. */
export const shardPaths = (tensors: unknown): string[] => shardsOf(tensors).map(({ path }) => path);

/** The files with weights, and their sizes in bytes where the list states them. Entries without a path are left out. */
function shardsOf(tensors: unknown): { path: string; bytes: number | undefined }[] {
  const { records } = asObject(tensors);
  return (Array.isArray(records) ? records : []).flatMap((record) => {
    const { dataPath, nbytes } = asObject(record);
    const path = asText(dataPath);
    return path === undefined ? [] : [{ path, bytes: asNumber(nbytes) }];
  });
}

async function readJson(
  blobs: Pick<Blobs, 'read'>,
  files: ModelFile[],
  name: string,
): Promise<Json | undefined> {
  const file = files.find((candidate) => candidate.name === name);
  if (!file) return undefined;
  try {
    return asObject(JSON.parse(new TextDecoder().decode(await readSmallFile(blobs, file))));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ModelCorrupt(`${name} is no JSON`, { cause: error });
    throw error;
  }
}

/** 0 when the configuration states none. */
function contextLengthOf(config: Json): number {
  const model = asObject(config.model_config);
  const length =
    asNumber(model.context_window_size) ??
    asNumber(config.context_window_size) ??
    asNumber(model.max_position_embeddings);
  return length !== undefined && length > 0 ? length : 0;
}

function parameterCountOf(tensors: Json): number {
  const { BitsPerParam, ParamBytes } = asObject(tensors.metadata);
  const bits = asNumber(BitsPerParam);
  return bits ? Math.round(((asNumber(ParamBytes) ?? 0) * 8) / bits) : 0;
}

function keyValuesOf(
  config: Json,
  architecture: string,
  contextLength: number,
  embeddingLength: number,
): [string, unknown][] {
  const model = asObject(config.model_config);
  const values: [string, unknown][] = [
    ['context_length', contextLength || undefined],
    ['embedding_length', embeddingLength || undefined],
    ['block_count', model.num_hidden_layers],
    ['feed_forward_length', model.intermediate_size],
    ['attention.head_count', model.num_attention_heads],
    ['attention.head_count_kv', model.num_key_value_heads],
    ['vocab_size', config.vocab_size],
  ];
  const numbers = values.filter(([, value]) => typeof value === 'number');
  return [
    ['general.architecture', architecture],
    ...numbers.map(([key, value]): [string, unknown] => [`${architecture}.${key}`, value]),
  ];
}

/** Some repositories have several named templates, of which `default` is used. */
function chatTemplateOf({ chat_template: template }: Json): string | undefined {
  if (!Array.isArray(template)) return asText(template);
  return asText(template.map(asObject).find(({ name }) => name === 'default')?.template);
}

function recordsOf({ records }: Json): Json[] {
  const shards = Array.isArray(records) ? records : [];
  return shards.flatMap((shard) => {
    const tensors = asObject(shard).records;
    return Array.isArray(tensors) ? tensors.map(asObject) : [];
  });
}

function checkShards(tensors: Json, files: ModelFile[]): void {
  const shards = shardsOf(tensors);
  if (shards.length === 0) throw new ModelCorrupt('its list of weights names no file');
  for (const { path, bytes } of shards) {
    const file = files.find(({ name }) => name === path);
    if (!file) throw new ModelCorrupt(`it has no file ${path}`);
    if (bytes !== undefined && bytes !== file.size) {
      throw new ModelCorrupt(`${path} has ${file.size} bytes, and its list of weights says ${bytes}`);
    }
  }
}

async function checkLibrary(blobs: Pick<Blobs, 'read'>, files: ModelFile[]): Promise<void> {
  const library = files.find(({ role }) => role === 'library');
  if (!library) throw new ModelCorrupt('it has no model library (.wasm)');
  const magic = String.fromCharCode(...(await readBlobRange(blobs, library.digest, 0, 4)));
  if (magic !== '\0asm') throw new ModelCorrupt('its model library is no WebAssembly');
}

/** A special token: a text, or an object with its text as `content`. */
function tokenText(key: 'bosToken' | 'eosToken', token: unknown): Partial<ModelMetadata> {
  const value = asText(token) ?? asText(asObject(token).content);
  return value === undefined ? {} : { [key]: value };
}
