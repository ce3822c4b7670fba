import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import fileTypes from './file-types.json' with { type: 'json' };
import type { GgufHeader } from './header.ts';

const tokens = 'tokenizer.ggml.tokens';
/** Longer arrays (vocabularies, merges) are given only to those who ask for them. */
const shortArray = 1024;

/** Far above all vocabularies; a hostile file gets no further. */
const mostKept = 8_388_608;

/** Which arrays to read: the vocabulary is always needed, for the text of its special tokens. */
export function keepArray(arrays: boolean): (key: string, length: number) => boolean {
  let kept = 0;
  return (key, length) => {
    kept += length;
    return kept <= mostKept && (arrays || key === tokens || length <= shortArray);
  };
}

/** What the core needs of a header. `arrays` false: long arrays are null in `keyValues`. */
export function metadataOf(header: GgufHeader, arrays: boolean): ModelMetadata {
  const { keyValues } = header;
  const architecture = textOf(keyValues.get('general.architecture')) ?? 'unknown';
  const own = (key: string) => keyValues.get(`${architecture}.${key}`);
  const vocabulary = keyValues.get(tokens);
  const token = (key: string) => {
    const id = keyValues.get(key);
    return Array.isArray(vocabulary) && typeof id === 'number' ? textOf(vocabulary[id]) : undefined;
  };
  const pooling = own('pooling_type');
  return {
    architecture,
    quantization: quantization(header),
    parameterCount: header.tensors.reduce((sum, tensor) => sum + tensor.elements, 0),
    contextLength: numberOf(own('context_length')) ?? 0,
    embeddingLength: numberOf(own('embedding_length')) ?? 0,
    chatTemplate: textOf(keyValues.get('tokenizer.chat_template')),
    bosToken: token('tokenizer.ggml.bos_token_id'),
    eosToken: token('tokenizer.ggml.eos_token_id'),
    addBos: addsBos(keyValues),
    poolingType: typeof pooling === 'number' ? pooling : undefined,
    hasVision:
      (numberOf(own('vision.block_count')) ?? 0) > 0 || keyValues.get('clip.has_vision_encoder') === true,
    keyValues: [...keyValues].map(([key, value]) => [key, arrays || !isLong(value) ? value : null]),
    tensors: header.tensors.map(({ name, type, shape }) => ({ name, type, shape })),
  };
}

function quantization(header: GgufHeader): string {
  const code = header.keyValues.get('general.file_type');
  const named = typeof code === 'number' ? (fileTypes as Record<string, string>)[code] : undefined;
  return named ?? 'unknown';
}

/** Tokenizers of the sentencepiece and wordpiece families begin with BOS unless they say otherwise. */
function addsBos(keyValues: Map<string, unknown>): boolean {
  const said = keyValues.get('tokenizer.ggml.add_bos_token');
  if (typeof said === 'boolean') return said;
  const model = keyValues.get('tokenizer.ggml.model');
  return model === 'llama' || model === 'bert' || keyValues.get('tokenizer.ggml.pre') === 'llama-bpe';
}

const isLong = (value: unknown) => Array.isArray(value) && value.length > shortArray;
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);
