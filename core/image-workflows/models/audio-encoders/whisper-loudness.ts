import { bandSpectrogram, type SpectrogramOptions } from '../../audio/spectrogram/spectrogram.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';

const SAMPLE_RATE = 16_000;
const SECONDS = 30;
const [LENGTH, HOP] = [400, 160];
const STEPS = (SECONDS * SAMPLE_RATE) / HOP;
const LEAST = 1e-10;
/** Powers of ten between the loudest and the softest number. */
const RANGE = 8;

/** @param bands as many as the encoder takes. Whisper large v3 takes 128. */
const options = (bands: number): SpectrogramOptions => ({
  bands,
  sampleRate: SAMPLE_RATE,
  lowest: 0,
  highest: SAMPLE_RATE / 2,
  length: LENGTH,
  hop: HOP,
  mirrored: [LENGTH / 2, LENGTH / 2],
  loudness: (square) => square,
});

/**
 * The first 30 seconds, or silence after the end, as Whisper takes them: [batch, samples] to [batch, bands, 3000]. Source:
 * Radford et al., 2022, section 2.2.
 */
export async function whisperLoudness(
  { shape: [batch = 1, length = 0], data }: FloatTensor,
  bands: number,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const result = new Float32Array(batch * bands * STEPS);
  for (let index = 0; index < batch; index++) {
    const samples = new Float32Array(SECONDS * SAMPLE_RATE);
    samples.set(data.subarray(index * length, index * length + Math.min(length, samples.length)));
    const plane = await runYielding(bandSpectrogram(samples, options(bands)), signal);
    // The last step lies behind the end.
    const own = plane.length / bands;
    for (let band = 0; band < bands; band++)
      result.set(plane.subarray(band * own, band * own + STEPS), (index * bands + band) * STEPS);
  }
  let loudest = Number.NEGATIVE_INFINITY;
  for (const [at, value] of result.entries()) {
    result[at] = Math.log10(Math.max(value, LEAST));
    loudest = Math.max(loudest, result[at]!);
  }
  for (const [at, value] of result.entries()) result[at] = (Math.max(value, loudest - RANGE) + 4) / 4;
  return { shape: [batch, bands, STEPS], data: result };
}
