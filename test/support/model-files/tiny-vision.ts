/**
 * A tiny language model and a projector for images with random weights, written when a test needs them. Answers have no
 * meaning, but images change them and take a real number of tokens.
 */
import { CHATML, type TinyTensor, tinyGguf } from './tiny-gguf.ts';

/** Embedding length of the language model. */
export const EMBEDDING_LENGTH = 64;
const LAYERS = 2;
const HEADS = 4;
const INNER = 128;

const IMAGE = 56;
const PATCH = 14;
const EYE = 32;
/** Tokens of an image. */
export const TOKENS_OF_AN_IMAGE = (IMAGE / PATCH) ** 2;

/** Numbers of an approximately normal distribution, the same in every run. */
function seededNoise(seed: number): (count: number, scale: number) => Float32Array {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return (count, scale) =>
    Float32Array.from({ length: count }, () => (next() + next() + next() + next() - 2) * scale * 1.7);
}

function tensors(seed: number) {
  const random = seededNoise(seed);
  const list: TinyTensor[] = [];
  const add = (name: string, shape: number[], data: Float32Array) =>
    list.push({ name, shape, type: 'F32', data });
  const weight = (name: string, ...shape: number[]) => {
    const count = shape.reduce((product, size) => product * size, 1);
    add(name, shape, random(count, 1 / Math.sqrt(shape[0]!)));
  };
  const ones = (name: string, size: number) => add(name, [size], new Float32Array(size).fill(1));
  const zeros = (name: string, size: number) => add(name, [size], new Float32Array(size));
  return {
    list,
    weight,
    ones,
    norm(name: string, size: number) {
      ones(`${name}.weight`, size);
      zeros(`${name}.bias`, size);
    },
    linear(name: string, from: number, to: number, { bias = true } = {}) {
      weight(`${name}.weight`, from, to);
      if (bias) zeros(`${name}.bias`, to);
    },
  };
}

/** A token for each ASCII character, in GPT-2's notation: printable characters represent themselves. */
function letters(): string[] {
  let next = 256;
  return Array.from({ length: 128 }, (_, byte) =>
    String.fromCodePoint(byte >= 33 && byte <= 126 ? byte : next++),
  );
}

export function tinyLanguageModel(): Uint8Array<ArrayBuffer> {
  const tokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', ...letters()];
  const { list, weight, ones } = tensors(1);
  weight('token_embd.weight', EMBEDDING_LENGTH, tokens.length);
  for (let layer = 0; layer < LAYERS; layer++) {
    const block = `blk.${layer}`;
    ones(`${block}.attn_norm.weight`, EMBEDDING_LENGTH);
    for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output'])
      weight(`${block}.${name}.weight`, EMBEDDING_LENGTH, EMBEDDING_LENGTH);
    ones(`${block}.ffn_norm.weight`, EMBEDDING_LENGTH);
    weight(`${block}.ffn_gate.weight`, EMBEDDING_LENGTH, INNER);
    weight(`${block}.ffn_up.weight`, EMBEDDING_LENGTH, INNER);
    weight(`${block}.ffn_down.weight`, INNER, EMBEDDING_LENGTH);
  }
  ones('output_norm.weight', EMBEDDING_LENGTH);
  weight('output.weight', EMBEDDING_LENGTH, tokens.length);
  return tinyGguf({
    contextLength: 512,
    chatTemplate: CHATML,
    tensors: list,
    metadata: {
      'general.file_type': { type: 'uint32', value: 0 },
      'llama.block_count': { type: 'uint32', value: LAYERS },
      'llama.embedding_length': { type: 'uint32', value: EMBEDDING_LENGTH },
      'llama.feed_forward_length': { type: 'uint32', value: INNER },
      'llama.attention.head_count': { type: 'uint32', value: HEADS },
      'llama.attention.head_count_kv': { type: 'uint32', value: HEADS },
      'llama.rope.dimension_count': { type: 'uint32', value: EMBEDDING_LENGTH / HEADS },
      'llama.vocab_size': { type: 'uint32', value: tokens.length },
      'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: tokens },
      'tokenizer.ggml.token_type': {
        type: 'array',
        of: 'int32',
        value: tokens.map((_, id) => (id < 3 ? 3 : 1)),
      },
      'tokenizer.ggml.merges': { type: 'array', of: 'string', value: ['a b'] },
    },
  });
}

/**
 * A vision transformer of one layer and the two-layer projector of the first LLaVA models.
 * @param outputs the embedding length of the language model
 */
export function tinyProjector(outputs = EMBEDDING_LENGTH): Uint8Array<ArrayBuffer> {
  const { list, weight, norm, linear } = tensors(2);
  weight('v.class_embd', EYE);
  weight('v.patch_embd.weight', PATCH, PATCH, 3, EYE);
  weight('v.position_embd.weight', EYE, TOKENS_OF_AN_IMAGE + 1);
  norm('v.pre_ln', EYE);
  for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_out']) linear(`v.blk.0.${name}`, EYE, EYE);
  norm('v.blk.0.ln1', EYE);
  norm('v.blk.0.ln2', EYE);
  linear('v.blk.0.ffn_up', EYE, 2 * EYE);
  linear('v.blk.0.ffn_down', 2 * EYE, EYE);
  linear('mm.0', EYE, outputs);
  linear('mm.2', outputs, outputs);
  return projectorFile(list, {
    'clip.has_vision_encoder': { type: 'bool', value: true },
    'clip.projector_type': { type: 'string', value: 'mlp' },
    'clip.use_gelu': { type: 'bool', value: true },
    'clip.vision.image_size': { type: 'uint32', value: IMAGE },
    'clip.vision.patch_size': { type: 'uint32', value: PATCH },
    'clip.vision.embedding_length': { type: 'uint32', value: EYE },
    'clip.vision.feed_forward_length': { type: 'uint32', value: 2 * EYE },
    'clip.vision.projection_dim': { type: 'uint32', value: outputs },
    'clip.vision.block_count': { type: 'uint32', value: 1 },
    'clip.vision.attention.head_count': { type: 'uint32', value: 2 },
    'clip.vision.attention.layer_norm_epsilon': { type: 'float32', value: 1e-5 },
    'clip.vision.image_mean': { type: 'array', of: 'float32', value: [0.5, 0.5, 0.5] },
    'clip.vision.image_std': { type: 'array', of: 'float32', value: [0.5, 0.5, 0.5] },
  });
}

const EAR = 16;
const BANDS = 80;
/** Positions of the encoder: 30 seconds of 100 frames each, of which the second convolution leaves one half. */
const POSITIONS = 1500;
const STACKED = 20;
/** Tokens of a recording of up to 30 seconds. */
export const TOKENS_OF_A_RECORDING = POSITIONS / STACKED;

/** A speech encoder of one layer and the projector of Ultravox. */
export function tinyEar(outputs = EMBEDDING_LENGTH): Uint8Array<ArrayBuffer> {
  const { list, weight, ones, norm, linear } = tensors(3);
  for (const [name, inputs] of [
    ['a.conv1d.1', BANDS],
    ['a.conv1d.2', EAR],
  ] as const) {
    weight(`${name}.weight`, 3, inputs, EAR);
    list.push({ name: `${name}.bias`, shape: [1, EAR], type: 'F32', data: new Float32Array(EAR) });
  }
  weight('a.position_embd.weight', EAR, POSITIONS);
  for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_out'])
    linear(`a.blk.0.${name}`, EAR, EAR, { bias: name !== 'attn_k' });
  norm('a.blk.0.ln1', EAR);
  norm('a.blk.0.ln2', EAR);
  linear('a.blk.0.ffn_up', EAR, 2 * EAR);
  linear('a.blk.0.ffn_down', 2 * EAR, EAR);
  norm('a.post_ln', EAR);
  ones('mm.a.norm_pre.weight', EAR * STACKED);
  linear('mm.a.mlp.1', EAR * STACKED, 2 * EAR, { bias: false });
  ones('mm.a.norm_mid.weight', EAR);
  linear('mm.a.mlp.2', EAR, outputs, { bias: false });
  return projectorFile(list, {
    'clip.has_audio_encoder': { type: 'bool', value: true },
    'clip.projector_type': { type: 'string', value: 'ultravox' },
    'clip.use_gelu': { type: 'bool', value: true },
    'clip.audio.num_mel_bins': { type: 'uint32', value: BANDS },
    'clip.audio.projector.stack_factor': { type: 'uint32', value: STACKED },
    'clip.audio.embedding_length': { type: 'uint32', value: EAR },
    'clip.audio.feed_forward_length': { type: 'uint32', value: 2 * EAR },
    'clip.audio.projection_dim': { type: 'uint32', value: outputs },
    'clip.audio.block_count': { type: 'uint32', value: 1 },
    'clip.audio.attention.head_count': { type: 'uint32', value: 2 },
    'clip.audio.attention.layer_norm_epsilon': { type: 'float32', value: 1e-5 },
  });
}

function projectorFile(
  tensors: TinyTensor[],
  metadata: NonNullable<Parameters<typeof tinyGguf>[0]>['metadata'],
): Uint8Array<ArrayBuffer> {
  return tinyGguf({
    architecture: 'clip',
    chatTemplate: null,
    tensors,
    metadata: {
      ...Object.fromEntries(CLIP_HAS_NONE.map((key) => [key, undefined])),
      'general.type': { type: 'string', value: 'mmproj' },
      'general.file_type': { type: 'uint32', value: 0 },
      ...metadata,
    },
  });
}

/** Metadata of language models alone. */
const CLIP_HAS_NONE = [
  ...['block_count', 'context_length', 'embedding_length', 'feed_forward_length', 'vocab_size'].map(
    (key) => `clip.${key}`,
  ),
  ...['head_count', 'head_count_kv', 'layer_norm_rms_epsilon'].map((key) => `clip.attention.${key}`),
  'clip.rope.freq_base',
  ...['model', 'pre', 'tokens', 'token_type', 'merges', 'bos_token_id', 'eos_token_id', 'add_bos_token'].map(
    (key) => `tokenizer.ggml.${key}`,
  ),
];
