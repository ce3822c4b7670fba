import { toWhisperLoudness, WHISPER_HOP, WHISPER_STEPS, WHISPER_WINDOW, whisperBands } from '#core/audio';

const MARGIN = WHISPER_WINDOW / 2;

/**
 * The loudness of 30 seconds of audio, [bands, 3000]. Behind the end is silence. Rejects with the signal's reason.
 * @param samples one channel of 16,000 a second
 * @param seek the first step of 10 ms
 */
export async function windowLoudness(
  samples: Float32Array,
  seek: number,
  bands: number,
  signal: AbortSignal,
): Promise<Float32Array> {
  const start = seek * WHISPER_HOP - MARGIN;
  const part = new Float32Array(WHISPER_STEPS * WHISPER_HOP + 2 * MARGIN);
  const from = Math.max(0, start);
  part.set(samples.subarray(from, start + part.length), from - start);
  // The audio is mirrored at its start.
  for (let at = start; at < 0; at++) part[at - start] = samples[-at] ?? 0;
  const squares = await whisperBands(part, bands, false, signal);
  toWhisperLoudness(squares);
  return squares;
}
