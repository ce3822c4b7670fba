import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import type { GgufHeader } from '#core/tensors';
import { asNumber, asText } from '../json-fields.ts';
import fileTypes from './file-types.json' with { type: 'json' };

const VOCABULARY = 'tokenizer.ggml.tokens';
/** Longer arrays, such as vocabularies, are only read for callers that ask for them. */
const SHORT_ARRAY = 1024;
/** The largest number of elements that are read, in all arrays together. No vocabulary comes near this limit. */
const MAX_ELEMENTS = 8_388_608;

/**
 * Decides which arrays of a header are read. The vocabulary is always read, for the texts of special tokens.
 * @param withLongArrays whether long arrays are read
 */
export function arrayFilter(withLongArrays: boolean): (key: string, length: number) => boolean {
  let elements = 0;
  return (key, length) => {
    elements += length;
    return elements <= MAX_ELEMENTS && (withLongArrays || key === VOCABULARY || length <= SHORT_ARRAY);
  };
}

/** @param withLongArrays false: long arrays are null in `keyValues` */
export function ggufMetadata(header: GgufHeader, withLongArrays: boolean): ModelMetadata {
  const { keyValues } = header;
  const architecture = asText(keyValues.get('general.architecture')) ?? 'unknown';
  const own = (key: string) => keyValues.get(`${architecture}.${key}`);
  const vocabulary = keyValues.get(VOCABULARY);
  const token = (key: string) => {
    const id = keyValues.get(key);
    return Array.isArray(vocabulary) && typeof id === 'number' ? asText(vocabulary[id]) : undefined;
  };
  const pooling = own('pooling_type');
  return {
    architecture,
    quantization: quantization(header),
    parameterCount: header.tensors.reduce((sum, tensor) => sum + tensor.elements, 0),
    contextLength: asNumber(own('context_length')) ?? 0,
    embeddingLength: asNumber(own('embedding_length')) ?? 0,
    chatTemplate: asText(keyValues.get('tokenizer.chat_template')),
    bosToken: token('tokenizer.ggml.bos_token_id'),
    eosToken: token('tokenizer.ggml.eos_token_id'),
    addBos: addsBos(keyValues),
    poolingType: typeof pooling === 'number' ? pooling : undefined,
    hasVision:
      (asNumber(own('vision.block_count')) ?? 0) > 0 || keyValues.get('clip.has_vision_encoder') === true,
    hasAudio:
      (asNumber(own('audio.block_count')) ?? 0) > 0 || keyValues.get('clip.has_audio_encoder') === true,
    keyValues: [...keyValues].map(([key, value]) => [key, withLongArrays || !isLong(value) ? value : null]),
    tensors: header.tensors.map(({ name, type, shape }) => ({ name, type, shape })),
  };
}

function quantization(header: GgufHeader): string {
  const code = header.keyValues.get('general.file_type');
  const name = typeof code === 'number' ? (fileTypes as Record<string, string>)[code] : undefined;
  return name ?? 'unknown';
}

/** Without an explicit setting, tokenizers of the sentencepiece and wordpiece families begin texts with BOS. */
function addsBos(keyValues: Map<string, unknown>): boolean {
  const explicit = keyValues.get('tokenizer.ggml.add_bos_token');
  if (typeof explicit === 'boolean') return explicit;
  const model = keyValues.get('tokenizer.ggml.model');
  return model === 'llama' || model === 'bert' || keyValues.get('tokenizer.ggml.pre') === 'llama-bpe';
}

const isLong = (value: unknown) => Array.isArray(value) && value.length > SHORT_ARRAY;
