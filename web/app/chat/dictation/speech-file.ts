import { meanChannel, pcm16, wavHead } from '#core/audio';

/** Samples a second, as models that hear take them. */
const RATE = 16_000;

/**
 * A recording in the browser's own format as a WAV file, which every server reads. Rejects with a DOMException for bytes
 * that the browser cannot decode.
 */
export async function speechFile(recording: Blob): Promise<File> {
  const context = new OfflineAudioContext(1, 1, RATE);
  const audio = await context.decodeAudioData(await recording.arrayBuffer());
  const channels = Array.from({ length: audio.numberOfChannels }, (_, index) => audio.getChannelData(index));
  return new File(waveParts(channels), 'speech.wav', { type: 'audio/wav' });
}

/** The mean of the channels as the parts of a WAV file of 16 bits. */
export function waveParts(channels: readonly Float32Array[]): Uint8Array<ArrayBuffer>[] {
  const mean = meanChannel(channels);
  return [wavHead(RATE, mean.length), pcm16(mean)];
}
