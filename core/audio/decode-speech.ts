import type { MediaCodecs } from '#core/host';
import { decodeAudio } from './decode.ts';
import { SpeechResampler } from './speech-resampler.ts';

/** Samples a second, as models that hear take them. */
export const SPEECH_RATE = 16_000;

/**
 * Decodes an audio file, or the audio of a video, to one channel of 16,000 samples a second. Formats that are compressed
 * never lie in memory as they were recorded, so that hours of them fit. Rejects as `decodeAudio` does.
 */
export async function decodeSpeech(
  bytes: Uint8Array,
  signal: AbortSignal,
  codecs?: MediaCodecs,
): Promise<Float32Array> {
  const { sampleRate, channels } = await decodeAudio(bytes, signal, codecs, SPEECH_RATE);
  const resampler = new SpeechResampler(sampleRate, SPEECH_RATE);
  await resampler.push(channels, signal);
  return resampler.finish(signal);
}
