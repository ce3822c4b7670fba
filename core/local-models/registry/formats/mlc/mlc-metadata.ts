import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import { conversationTemplate } from './conversation-template.ts';

type Json = Record<string, unknown>;

export const CHAT_CONFIG = 'mlc-chat-config.json';
/** The list of the weights' files: its name now, and before. */
export const TENSOR_LISTS = ['tensor-cache.json', 'ndarray-cache.json'];

/**
 * What an MLC repository tells of its model, in the words of GGUF metadata. Throws `ModelCorrupt` where a file is
 * missing or is no JSON, or where the list of weights names a file that is not there.
 */
export async function mlcMetadata(blobs: Pick<Blobs, 'read'>, files: ModelFile[]): Promise<ModelMetadata> {
  const read = async (name: string): Promise<Json | undefined> => {
    const file = files.find((each) => each.name === name);
    if (!file) return undefined;
    try {
      return object(JSON.parse(new TextDecoder().decode(await readSmallFile(blobs, file))));
    } catch (error) {
      if (error instanceof SyntaxError) throw new ModelCorrupt(`${name} is no JSON`, { cause: error });
      throw error;
    }
  };
  const config = await read(CHAT_CONFIG);
  if (!config) throw new ModelCorrupt(`it has no ${CHAT_CONFIG}`);
  const tokenizer = (await read('tokenizer_config.json')) ?? {};
  const tensors = (await read(TENSOR_LISTS[0]!)) ?? (await read(TENSOR_LISTS[1]!));
  if (!tensors) throw new ModelCorrupt(`it has no ${TENSOR_LISTS[0]}`);
  checkShards(tensors, files);
  await checkLibrary(blobs, files);

  const model = object(config.model_config);
  const architecture = text(config.model_type) ?? 'unknown';
  const sizes = object(tensors.metadata);
  const bits = number(sizes.BitsPerParam);
  const parameterCount = bits ? Math.round(((number(sizes.ParamBytes) ?? 0) * 8) / bits) : 0;
  const contextLength =
    number(model.context_window_size) ??
    number(config.context_window_size) ??
    number(model.max_position_embeddings);
  const trained = contextLength !== undefined && contextLength > 0 ? contextLength : 0;
  const embeddingLength = number(model.hidden_size) ?? 0;
  const own = (key: string, value: unknown): [string, unknown][] =>
    typeof value === 'number' ? [[`${architecture}.${key}`, value]] : [];
  const chatTemplate = templateOf(tokenizer) ?? conversationTemplate(config.conv_template);
  return {
    architecture,
    quantization: text(config.quantization) ?? 'unknown',
    parameterCount,
    contextLength: trained,
    embeddingLength,
    ...(chatTemplate === undefined ? {} : { chatTemplate }),
    ...tokenText('bosToken', tokenizer.bos_token),
    ...tokenText('eosToken', tokenizer.eos_token),
    addBos: tokenizer.add_bos_token === true,
    hasVision: false,
    keyValues: [
      ['general.architecture', architecture],
      ...own('context_length', trained || undefined),
      ...own('embedding_length', embeddingLength || undefined),
      ...own('block_count', model.num_hidden_layers),
      ...own('feed_forward_length', model.intermediate_size),
      ...own('attention.head_count', model.num_attention_heads),
      ...own('attention.head_count_kv', model.num_key_value_heads),
      ...own('vocab_size', config.vocab_size),
    ],
    tensors: recordsOf(tensors).map(({ name, dtype, shape }) => ({
      name: text(name) ?? '',
      type: text(dtype)?.toUpperCase() ?? 'unknown',
      shape: Array.isArray(shape) ? shape.filter((size) => typeof size === 'number') : [],
    })),
  };
}

/** Some repositories keep several templates under names: the default one counts. */
function templateOf({ chat_template: found }: Json): string | undefined {
  if (!Array.isArray(found)) return text(found);
  return text(found.map(object).find(({ name }) => name === 'default')?.template);
}

/** Paths of the files that the weights lie in, in their order. */
export function shardPaths(tensors: unknown): string[] {
  const { records } = object(tensors);
  return (Array.isArray(records) ? records : []).flatMap((record) => text(object(record).dataPath) ?? []);
}

function recordsOf({ records }: Json): Json[] {
  const shards = Array.isArray(records) ? records : [];
  return shards.flatMap((shard) => {
    const inside = object(shard).records;
    return Array.isArray(inside) ? inside.map(object) : [];
  });
}

function checkShards(tensors: Json, files: ModelFile[]): void {
  const paths = shardPaths(tensors);
  if (paths.length === 0) throw new ModelCorrupt('its list of weights names no file');
  const { records } = tensors as { records: unknown[] };
  for (const [index, path] of paths.entries()) {
    const file = files.find(({ name }) => name === path);
    if (!file) throw new ModelCorrupt(`it has no file ${path}`);
    const bytes = number(object(records[index]).nbytes);
    if (bytes !== undefined && bytes !== file.size) {
      throw new ModelCorrupt(`${path} has ${file.size} bytes, and its list of weights says ${bytes}`);
    }
  }
}

async function checkLibrary(blobs: Pick<Blobs, 'read'>, files: ModelFile[]): Promise<void> {
  const library = files.find(({ role }) => role === 'library');
  if (!library) throw new ModelCorrupt('it has no model library (.wasm)');
  const head = new Uint8Array(await new Response(blobs.read(library.digest, 0, 4)).arrayBuffer());
  if (String.fromCharCode(...head) !== '\0asm') throw new ModelCorrupt('its model library is no WebAssembly');
}

function tokenText(key: 'bosToken' | 'eosToken', told: unknown): Partial<ModelMetadata> {
  const value = text(told) ?? text(object(told).content);
  return value === undefined ? {} : { [key]: value };
}

const object = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
