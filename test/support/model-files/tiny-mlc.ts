/**
 * The repository of an MLC model in its hub's layout, with a working tokenizer and random weights. The library is
 * WebAssembly without code, because a real one has to be compiled.
 */
import { CHATML } from './tiny-gguf.ts';

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** An empty WebAssembly module. */
export const EMPTY_LIBRARY = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

const VOCABULARY = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  ...Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)),
  'Ġ',
  'Ċ',
];

export interface TinyMlcOptions {
  quantization?: string;
  /** Whether to write the list of weights in its earlier format. */
  olderList?: boolean;
  chatTemplate?: boolean;
}

export function tinyMlc(options: TinyMlcOptions = {}): Record<string, Uint8Array> {
  const { quantization = 'q0f32', olderList = false, chatTemplate = true } = options;
  const shards = [256, 128].map((bytes, index) => new Uint8Array(bytes).fill(index + 1));
  const record = (name: string, bytes: number) => ({
    name,
    shape: [bytes / 4],
    dtype: 'float32',
    format: 'raw',
    nbytes: bytes,
    byteOffset: 0,
  });
  return {
    'mlc-chat-config.json': text({
      model_type: 'llama',
      quantization,
      vocab_size: VOCABULARY.length,
      context_window_size: 2048,
      sliding_window_size: -1,
      attention_sink_size: -1,
      prefill_chunk_size: 1024,
      temperature: 1,
      top_p: 1,
      repetition_penalty: 1,
      tokenizer_files: ['tokenizer.json', 'tokenizer_config.json'],
      tokenizer_info: {
        token_postproc_method: 'byte_level',
        prepend_space_in_encode: false,
        strip_space_in_decode: false,
      },
      eos_token_id: 2,
      model_config: {
        hidden_size: 16,
        intermediate_size: 32,
        num_attention_heads: 4,
        num_key_value_heads: 2,
        num_hidden_layers: 2,
        max_position_embeddings: 4096,
      },
      conv_template: {
        name: 'chatml',
        system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
        system_message: 'You help.',
        roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant' },
        seps: ['<|im_end|>\n'],
        role_content_sep: '\n',
        role_empty_sep: '\n',
        stop_str: ['<|im_end|>'],
        stop_token_ids: [2],
      },
    }),
    'tokenizer.json': text(tokenizer()),
    'tokenizer_config.json': text({
      bos_token: '<|im_start|>',
      eos_token: { content: '<|im_end|>' },
      ...(chatTemplate ? { chat_template: CHATML } : {}),
    }),
    [olderList ? 'ndarray-cache.json' : 'tensor-cache.json']: text({
      metadata: { ParamSize: 2, ParamBytes: 384, BitsPerParam: 32 },
      records: shards.map(({ length }, index) => ({
        dataPath: `params_shard_${index}.bin`,
        format: 'raw-shard',
        nbytes: length,
        records: [record(`model.layer.${index}`, length)],
      })),
    }),
    ...Object.fromEntries(shards.map((bytes, index) => [`params_shard_${index}.bin`, bytes])),
  };
}

function tokenizer() {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: VOCABULARY.slice(0, 3).map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
      merges: [],
    },
  };
}
