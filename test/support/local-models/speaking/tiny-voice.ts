/**
 * A small model that speaks, in the files of a published Kokoro export. Each token is a tone. The voice says how loud, and
 * the speed how long.
 */
import { GraphBuilder } from '#core/tensors';

/** The symbols of Kokoro models that English has, and their tokens. */
const SYMBOLS = '$;:,.!?—…"()“” AIOQTWYabdefhijklmnopstuvwzæðŋɑɒɔəɛɜɡɪɹʃʊʌʒʤʧˈˌːθᵊ';
export const VOICE_VOCABULARY: Readonly<Record<string, number>> = Object.fromEntries(
  [...SYMBOLS].map((symbol, token) => [symbol, token]),
);

/** Samples of a token at speed 1. */
export const TOKEN_SAMPLES = 100;
const MOST_SAMPLES = 4 * TOKEN_SAMPLES;
const STYLE_WIDTH = 256;
const ROWS = 510;
const RATE = 24_000;

/** The loudness of each voice for the shortest text. It is a little less for longer ones. */
export const VOICES = { af_heart: 0.5, af_alloy: 0.75, bf_emma: 0.25 } as const;

/** How loud a voice is for a number of tokens. */
export const loudness = (voice: keyof typeof VOICES, tokens: number): number =>
  VOICES[voice] * (1 - tokens / (2 * ROWS));

/** A sample of the tone of a token. The token around texts is silent. */
export const toneOf = (token: number, sample: number): number =>
  token === 0 ? 0 : Math.sin((2 * Math.PI * (200 + 40 * token) * sample) / RATE);

function graph(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder(new Map(), true);
  const count = Object.keys(VOICE_VOCABULARY).length;
  const tones = Array.from({ length: count * MOST_SAMPLES }, (_, at) =>
    toneOf(Math.floor(at / MOST_SAMPLES), at % MOST_SAMPLES),
  );
  const int = (value: number) => builder.int64Initializer([value]);
  const table = builder.floatInitializer('tones', [count, MOST_SAMPLES], tones);
  const all = builder.node('Gather', [table, 'input_ids'], { axis: 0 });
  const length = builder.node('Div', [builder.scalarInitializer(TOKEN_SAMPLES), 'speed']);
  const end = builder.node('Cast', [length], { to: 7 });
  const cut = builder.node('Slice', [all, int(0), end, int(2)]);
  const joined = builder.node('Reshape', [cut, builder.int64Initializer([1, -1])]);
  const volume = builder.node('Slice', ['style', int(0), int(1), int(1)]);
  builder.node('Mul', [joined, volume], {}, 'waveform');
  return builder.buildModel(
    [
      { name: 'input_ids', type: 'int64', shape: [1, 'sequence_length'] },
      { name: 'style', type: 'float32', shape: [1, STYLE_WIDTH] },
      { name: 'speed', type: 'float32', shape: [1] },
    ],
    [{ name: 'waveform', type: 'float32', shape: [1, 'num_samples'] }],
  );
}

function voiceFile(voice: keyof typeof VOICES): Uint8Array<ArrayBuffer> {
  const rows = new Float32Array(ROWS * STYLE_WIDTH);
  for (let row = 0; row < ROWS; row++) rows[row * STYLE_WIDTH] = loudness(voice, row);
  return new Uint8Array(rows.buffer);
}

/** The content of each file of the repository, by its path. */
export function tinyVoice(): Record<string, Uint8Array<ArrayBuffer>> {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  return {
    'config.json': json({ model_type: 'style_text_to_speech_2' }),
    'tokenizer.json': json({ version: '1.0', model: { vocab: VOICE_VOCABULARY } }),
    'onnx/model.onnx': graph(),
    ...Object.fromEntries(
      (Object.keys(VOICES) as (keyof typeof VOICES)[]).map((voice) => [
        `voices/${voice}.bin`,
        voiceFile(voice),
      ]),
    ),
  };
}
