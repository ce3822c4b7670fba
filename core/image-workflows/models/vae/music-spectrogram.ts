import { bandSpectrogram, type SpectrogramOptions } from '#core/audio';
import type { FloatTensor } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';

const [LENGTH, HOP] = [2048, 512];
const MIRRORED = (LENGTH - HOP) / 2;
const [LOUDNESS_EPSILON, LEAST] = [1e-6, 1e-5];

/** The bands that ACE-Step's autoencoder was trained with: its `music_log_mel.py`. */
const OPTIONS: SpectrogramOptions = {
  bands: 128,
  sampleRate: 44_100,
  lowest: 40,
  highest: 16_000,
  length: LENGTH,
  hop: HOP,
  mirrored: [MIRRORED, MIRRORED],
  loudness: (square) => Math.sqrt(square + LOUDNESS_EPSILON),
};

/** [batch, channels, samples] to logarithms of the loudness, [batch, channels, bands, steps]. */
export async function musicSpectrogram(
  { shape: [batch = 1, channels = 1, length = 0], data }: FloatTensor,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const planes: Float32Array[] = [];
  for (let plane = 0; plane < batch * channels; plane++) {
    const samples = data.subarray(plane * length, (plane + 1) * length);
    planes.push(await runYielding(bandSpectrogram(samples, OPTIONS), signal));
  }
  const steps = planes[0]!.length / OPTIONS.bands;
  const result = new Float32Array(planes.length * planes[0]!.length);
  for (const [index, plane] of planes.entries())
    for (const [at, loudness] of plane.entries())
      result[index * plane.length + at] = Math.log(Math.max(loudness, LEAST));
  return { shape: [batch, channels, OPTIONS.bands, steps], data: result };
}
