import { toWhisperLoudness, WHISPER_HOP, WHISPER_STEPS, whisperBands } from '#core/audio';
import type { FloatTensor } from '../../values/tensor.ts';

/** The first 30 seconds, or silence after the end: [batch, samples] to [batch, bands, 3000]. */
export async function whisperLoudness(
  { shape: [batch = 1, length = 0], data }: FloatTensor,
  bands: number,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const result = new Float32Array(batch * bands * WHISPER_STEPS);
  for (let index = 0; index < batch; index++) {
    const samples = new Float32Array(WHISPER_STEPS * WHISPER_HOP);
    samples.set(data.subarray(index * length, index * length + Math.min(length, samples.length)));
    result.set(await whisperBands(samples, bands, true, signal), index * bands * WHISPER_STEPS);
  }
  toWhisperLoudness(result);
  return { shape: [batch, bands, WHISPER_STEPS], data: result };
}
