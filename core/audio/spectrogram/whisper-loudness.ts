/** The loudness of audio as Whisper takes it: Radford et al., "Robust speech recognition", 2022, section 2.2. */
import { runYielding } from '#core/base';
import { bandSpectrogram } from './spectrogram.ts';

/** Samples a second. */
export const WHISPER_RATE = 16_000;
/** Samples between two steps. */
export const WHISPER_HOP = 160;
/** Samples of the window around each step. */
export const WHISPER_WINDOW = 400;
/** Steps of 30 seconds. */
export const WHISPER_STEPS = 3000;

const LEAST = 1e-10;
/** Powers of ten between the loudest and the softest number. */
const RANGE = 8;

/**
 * The squares of the amplitudes, [bands, 3000]. Rejects with the signal's reason.
 * @param samples 30 seconds. With `isMirrored` false they begin and end with the half windows around them
 * @param bands as many as the encoder takes: 80, or 128 for Whisper large v3
 */
export async function whisperBands(
  samples: Float32Array,
  bands: number,
  isMirrored: boolean,
  signal: AbortSignal,
): Promise<Float32Array> {
  const margin = isMirrored ? WHISPER_WINDOW / 2 : 0;
  const plane = await runYielding(
    bandSpectrogram(samples, {
      bands,
      sampleRate: WHISPER_RATE,
      lowest: 0,
      highest: WHISPER_RATE / 2,
      length: WHISPER_WINDOW,
      hop: WHISPER_HOP,
      mirrored: [margin, margin],
      loudness: (square) => square,
    }),
    signal,
  );
  // The last step lies behind the end.
  const own = plane.length / bands;
  const result = new Float32Array(bands * WHISPER_STEPS);
  for (let band = 0; band < bands; band++)
    result.set(plane.subarray(band * own, band * own + WHISPER_STEPS), band * WHISPER_STEPS);
  return result;
}

/** Replaces squares of amplitudes by their loudness: logarithms, relative to the loudest number. */
export function toWhisperLoudness(squares: Float32Array): void {
  let loudest = Number.NEGATIVE_INFINITY;
  for (const [at, value] of squares.entries()) {
    squares[at] = Math.log10(Math.max(value, LEAST));
    loudest = Math.max(loudest, squares[at]!);
  }
  for (const [at, value] of squares.entries()) squares[at] = (Math.max(value, loudest - RANGE) + 4) / 4;
}
