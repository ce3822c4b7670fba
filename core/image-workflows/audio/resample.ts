import * as pcm from '#core/audio';
import { type Audio, audioFromPlanes, audioPlanes } from './audio.ts';

/** Audio at another sample rate, as `core/audio` computes it. Rejects with the signal's reason. */
export async function resample(audio: Audio, sampleRate: number, signal: AbortSignal): Promise<Audio> {
  if (audio.sample_rate === sampleRate) return audio;
  const planes = { sampleRate: audio.sample_rate, channels: audioPlanes(audio) };
  const { channels } = await pcm.resample(planes, sampleRate, signal);
  return audioFromPlanes(channels, audio.waveform.shape[1]!, sampleRate);
}
