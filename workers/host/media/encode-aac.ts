import {
  AdtsOutputFormat,
  AudioSampleSource,
  BufferTarget,
  canEncodeAudio,
  Output,
  Quality,
} from 'mediabunny';
import { orAborted } from '#core/base';
import { MediaUnavailable, type PcmAudio } from '#core/host';
import { encodeAudio } from './encode-audio.ts';

/** Audio as AAC in ADTS. Rejects with `MediaUnavailable` when the browser cannot encode AAC, or the signal's reason. */
export async function encodeAac(
  audio: PcmAudio,
  bitrate: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted();
  const quality = new Quality({ bitrate });
  const { sampleRate } = audio;
  if (!(await canEncodeAudio('aac', { numberOfChannels: audio.channels.length, sampleRate, quality })))
    throw new MediaUnavailable('this browser does not write AAC');
  const source = new AudioSampleSource({ codec: 'aac', quality });
  const output = new Output({ format: new AdtsOutputFormat(), target: new BufferTarget() });
  output.addAudioTrack(source);
  try {
    const encode = async () => {
      await output.start();
      await encodeAudio(source, audio, signal);
      await output.finalize();
    };
    await orAborted(encode(), signal);
    return new Uint8Array(output.target.buffer!);
  } catch (error) {
    // Not awaited: it waits for the encoder, which may no longer respond.
    if (output.state !== 'finalized') void output.cancel().catch(() => {});
    throw error;
  }
}
