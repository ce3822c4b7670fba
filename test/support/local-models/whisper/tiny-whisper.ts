/** A small Whisper model that writes one text, with a vocabulary of bytes, in the files of an ONNX export. */
import { exportDecoder, exportEncoder, type Weights, type WhisperShape } from './export-whisper.ts';

const SPECIAL = [
  'endoftext',
  'startoftranscript',
  'en',
  'de',
  'zh',
  'translate',
  'transcribe',
  'startoflm',
  'startofprev',
  'nospeech',
  'notimestamps',
];
const TIMES = 1501;

/** The letters that stand for bytes, in the order of the bytes. */
function byteLetters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCodePoint(isPrintable ? byte : next++);
  });
}

/** `tokenizer.json`: each byte is a token. */
export const whisperTokenizer = {
  version: '1.0',
  added_tokens: SPECIAL.map((name, index) => ({
    id: 256 + index,
    content: `<|${name}|>`,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: null,
  decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  model: {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: '',
    end_of_word_suffix: '',
    fuse_unk: false,
    vocab: Object.fromEntries(byteLetters().map((letter, byte) => [letter, byte])),
    merges: [],
  },
};

const SHAPE: WhisperShape = { bands: 8, width: 32, heads: 2, layers: 2 };
const VOCABULARY = 256 + SPECIAL.length + TIMES;
const FIRST_TIME = 256 + SPECIAL.length;

/** The text that the model writes for every recording: two phrases. */
export const TINY_TEXT = 'Good morning. How are you?';
const time = (seconds: number) => FIRST_TIME + seconds * 50;
const bytes = (text: string) => [...new TextEncoder().encode(text)];
const special = (name: string) => 256 + SPECIAL.indexOf(name);
/** The token after each position, from that of the start token on, whose next token is a language. */
const WRITTEN = [
  special('en'),
  special('transcribe'),
  time(0),
  ...bytes(' Good morning.'),
  time(0.1),
  time(0.1),
  ...bytes(' How are you?'),
  time(0.2),
  special('endoftext'),
];

/** Numbers from -1 to 1 that look random, and are the same in each run. */
function noise(seed: number, length: number): Float32Array {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return state / 2 ** 31;
  });
}

/** A direction for each token. Those of different tokens are far apart. */
const directions = Array.from({ length: VOCABULARY }, (_, token) => {
  const numbers = noise(token + 1, SHAPE.width);
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const centred = numbers.map((value) => value - mean);
  const length = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0));
  return centred.map((value) => value / length);
});

/**
 * The decoder's positions have the directions of the tokens that follow, and nothing changes them. Attention is computed
 * from random numbers, and what it finds is left out.
 */
const weights: Weights = (name) => {
  const shape = shapeOf(name);
  const size = shape.reduce((product, side) => product * side, 1);
  if (name === 'decoder.embed_tokens.weight')
    return { shape, data: joined(directions.map((direction) => direction.map((value) => value * 10))) };
  if (name === 'decoder.embed_positions.weight') {
    const rows = Array.from({ length: 448 }, (_, position) =>
      directions[WRITTEN[position] ?? special('endoftext')]!.map((value) => value * 1000),
    );
    return { shape, data: joined(rows) };
  }
  if (/^decoder.*(out_proj|fc2)\./.test(name)) return { shape, data: new Float32Array(size) };
  if (/layer_norm\.weight$/.test(name)) return { shape, data: new Float32Array(size).fill(1) };
  const seed = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  return { shape, data: noise(seed, size).map((value) => value * 0.3) };
};

const joined = (rows: Float32Array[]) => Float32Array.from(rows.flatMap((row) => [...row]));

function shapeOf(name: string): number[] {
  const { width, bands } = SHAPE;
  if (name === 'encoder.conv1.weight') return [width, bands, 3];
  if (name === 'encoder.conv2.weight') return [width, width, 3];
  if (name === 'encoder.embed_positions.weight') return [1500, width];
  if (name === 'decoder.embed_positions.weight') return [448, width];
  if (name === 'decoder.embed_tokens.weight') return [VOCABULARY, width];
  if (name.endsWith('fc1.weight')) return [4 * width, width];
  if (name.endsWith('fc1.bias')) return [4 * width];
  if (name.endsWith('fc2.weight')) return [width, 4 * width];
  return name.endsWith('proj.weight') ? [width, width] : [width];
}

/** The content of each file of the repository, by its path. */
export function tinyWhisper({ withAttention = true } = {}): Record<string, Uint8Array<ArrayBuffer>> {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  return {
    'config.json': json({
      model_type: 'whisper',
      num_mel_bins: SHAPE.bands,
      d_model: SHAPE.width,
      decoder_layers: SHAPE.layers,
      decoder_attention_heads: SHAPE.heads,
      max_target_positions: 448,
      decoder_start_token_id: special('startoftranscript'),
      eos_token_id: special('endoftext'),
    }),
    'generation_config.json': json({
      is_multilingual: true,
      alignment_heads: [
        [0, 0],
        [1, 1],
      ],
    }),
    'tokenizer.json': json(whisperTokenizer),
    'onnx/encoder_model.onnx': exportEncoder(weights, SHAPE),
    'onnx/decoder_model_merged.onnx': exportDecoder(weights, SHAPE, withAttention),
  };
}
