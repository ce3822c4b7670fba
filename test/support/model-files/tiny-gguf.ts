/**
 * Writes small GGUF files (version 3) with a valid structure: every metadata type, a vocabulary, tensors with data at
 * the right offsets. Answers of these weights have no meaning.
 */

import tensorTypes from '../../../core/tensors/gguf/tensor-types.json' with { type: 'json' };

export type GgufType =
  | 'uint8'
  | 'int8'
  | 'uint16'
  | 'int16'
  | 'uint32'
  | 'int32'
  | 'float32'
  | 'bool'
  | 'string'
  | 'uint64'
  | 'int64'
  | 'float64';

export type GgufValue =
  | { type: GgufType; value: number | bigint | boolean | string }
  | { type: 'array'; of: GgufType; value: (number | bigint | boolean | string)[] };

export interface TinyTensor {
  name: string;
  shape: number[];
  /** A type of `core/tensors/gguf/tensor-types.json`. */
  type: string;
  /** The value of an F32 tensor, or the bytes of another. Without it, tensors are filled with a byte. */
  data?: Float32Array | Uint8Array;
}

const TYPE_CODES: Record<GgufType | 'array', number> = {
  uint8: 0,
  int8: 1,
  uint16: 2,
  int16: 3,
  uint32: 4,
  int32: 5,
  float32: 6,
  bool: 7,
  string: 8,
  array: 9,
  uint64: 10,
  int64: 11,
  float64: 12,
};
/** Code in the file, elements per block, bytes per block. */
const TENSOR_TYPES = Object.fromEntries(
  Object.entries(tensorTypes).map(([code, { name, ...layout }]) => [name, { code: Number(code), ...layout }]),
);
const ALIGNMENT = 32;

export const CHATML = `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

export interface TinyGgufOptions {
  architecture?: string;
  /** Null leaves the template out. */
  chatTemplate?: string | null;
  contextLength?: number;
  /** Adds to, or replaces, the usual metadata. Undefined removes a key. */
  metadata?: Record<string, GgufValue | undefined>;
  tensors?: TinyTensor[];
  version?: number;
}

export function tinyGguf(options: TinyGgufOptions = {}): Uint8Array<ArrayBuffer> {
  const architecture = options.architecture ?? 'llama';
  const tensors = options.tensors ?? [
    { name: 'token_embd.weight', shape: [32, 8], type: 'Q4_1' as const },
    { name: 'blk.0.attn_norm.weight', shape: [32], type: 'F32' as const },
    { name: 'output_norm.weight', shape: [32], type: 'F32' as const },
  ];
  const metadata = Object.entries({ ...usualMetadata(architecture, options), ...options.metadata }).filter(
    (entry): entry is [string, GgufValue] => entry[1] !== undefined,
  );
  const out = new ByteWriter();
  out.bytes(new TextEncoder().encode('GGUF'));
  out.write('uint32', options.version ?? 3);
  out.write('uint64', tensors.length);
  out.write('uint64', metadata.length);
  for (const [key, entry] of metadata) out.bytes(encodeGgufEntry(key, entry));
  let offset = 0;
  for (const tensor of tensors) {
    out.write('string', tensor.name);
    out.write('uint32', tensor.shape.length);
    for (const size of tensor.shape) out.write('uint64', size);
    out.write('uint32', TENSOR_TYPES[tensor.type]!.code);
    out.write('uint64', offset);
    offset = align(offset + tensorBytes(tensor));
  }
  out.pad();
  for (const tensor of tensors) {
    const { data } = tensor;
    out.bytes(
      data
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : new Uint8Array(tensorBytes(tensor)).fill(1),
    );
    out.pad();
  }
  return out.finish();
}

/** A metadata entry in the format of the file. */
export function encodeGgufEntry(key: string, entry: GgufValue): Buffer {
  const out = new ByteWriter();
  out.write('string', key);
  out.write('uint32', TYPE_CODES[entry.type]);
  if (entry.type === 'array') {
    out.write('uint32', TYPE_CODES[entry.of]);
    out.write('uint64', entry.value.length);
    for (const value of entry.value) out.write(entry.of, value);
  } else {
    out.write(entry.type, entry.value);
  }
  return Buffer.from(out.finish());
}

function usualMetadata(
  architecture: string,
  options: TinyGgufOptions,
): Record<string, GgufValue | undefined> {
  const tokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', 'a', 'b', 'c', 'Ġa', 'ab'];
  const template = options.chatTemplate === undefined ? CHATML : options.chatTemplate;
  return {
    'general.architecture': { type: 'string', value: architecture },
    'general.type': { type: 'string', value: 'model' },
    'general.name': { type: 'string', value: 'Tiny' },
    'general.size_label': { type: 'string', value: '1K' },
    'general.license': { type: 'string', value: 'apache-2.0' },
    'general.languages': { type: 'array', of: 'string', value: ['en'] },
    [`${architecture}.block_count`]: { type: 'uint32', value: 1 },
    [`${architecture}.context_length`]: { type: 'uint32', value: options.contextLength ?? 2048 },
    [`${architecture}.embedding_length`]: { type: 'uint32', value: 32 },
    [`${architecture}.feed_forward_length`]: { type: 'uint32', value: 64 },
    [`${architecture}.attention.head_count`]: { type: 'uint32', value: 4 },
    [`${architecture}.attention.head_count_kv`]: { type: 'uint32', value: 2 },
    [`${architecture}.rope.freq_base`]: { type: 'float32', value: 10000 },
    [`${architecture}.attention.layer_norm_rms_epsilon`]: { type: 'float32', value: 1e-5 },
    [`${architecture}.vocab_size`]: { type: 'uint32', value: tokens.length },
    'general.file_type': { type: 'uint32', value: 3 },
    'general.quantization_version': { type: 'uint32', value: 2 },
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'smollm' },
    'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: tokens },
    'tokenizer.ggml.token_type': {
      type: 'array',
      of: 'int32',
      value: tokens.map((_, id) => (id < 3 ? 3 : 1)),
    },
    'tokenizer.ggml.merges': { type: 'array', of: 'string', value: ['a b', 'Ġ a'] },
    'tokenizer.ggml.bos_token_id': { type: 'uint32', value: 1 },
    'tokenizer.ggml.eos_token_id': { type: 'uint32', value: 2 },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': template === null ? undefined : { type: 'string', value: template },
  };
}

function tensorBytes({ shape, type }: TinyTensor): number {
  const { block, bytes } = TENSOR_TYPES[type]!;
  return (shape.reduce((product, size) => product * size, 1) / block) * bytes;
}

const align = (offset: number) => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;

class ByteWriter {
  #parts: Uint8Array[] = [];
  #length = 0;

  bytes(part: Uint8Array): void {
    this.#parts.push(part);
    this.#length += part.length;
  }

  pad(): void {
    this.bytes(new Uint8Array(align(this.#length) - this.#length));
  }

  write(type: GgufType, value: number | bigint | boolean | string): void {
    if (type === 'string') {
      const text = new TextEncoder().encode(String(value));
      this.write('uint64', text.length);
      this.bytes(text);
      return;
    }
    const view = new DataView(new ArrayBuffer(8));
    const [size, put] = SCALARS[type];
    put(view, value);
    this.bytes(new Uint8Array(view.buffer, 0, size));
  }

  finish(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

type Put = (view: DataView, value: number | bigint | boolean | string) => void;
const SCALARS: Record<Exclude<GgufType, 'string'>, [bytes: number, put: Put]> = {
  uint8: [1, (view, value) => view.setUint8(0, Number(value))],
  int8: [1, (view, value) => view.setInt8(0, Number(value))],
  uint16: [2, (view, value) => view.setUint16(0, Number(value), true)],
  int16: [2, (view, value) => view.setInt16(0, Number(value), true)],
  uint32: [4, (view, value) => view.setUint32(0, Number(value), true)],
  int32: [4, (view, value) => view.setInt32(0, Number(value), true)],
  float32: [4, (view, value) => view.setFloat32(0, Number(value), true)],
  bool: [1, (view, value) => view.setUint8(0, value ? 1 : 0)],
  uint64: [8, (view, value) => view.setBigUint64(0, BigInt(value), true)],
  int64: [8, (view, value) => view.setBigInt64(0, BigInt(value), true)],
  float64: [8, (view, value) => view.setFloat64(0, Number(value), true)],
};
