/** Decoder for Opus in Ogg files that works on every platform. */
import { createDecoder } from 'libopus-wasm';
import { BufferSource, EncodedPacketSink, Input, type InputAudioTrack, OGG } from 'mediabunny';
import { yieldToEventLoop } from '#core/base';
import type { PcmAudio } from '#core/host';
import { AudioUnreadable, requireReadableLength } from '../audio-unreadable.ts';
import type { SpeechRate } from '../speech-rate.ts';

/** Positions in a file count samples at this rate. It is also the usual rate of decoded audio. */
const CLOCK = 48000;
/** Packets between two yields to the event loop. */
const PACKETS_PER_YIELD = 1000;

/**
 * Decodes an Ogg file with Opus to audio at 48 kHz. Undefined for an Ogg file with another codec, or more than two
 * channels. Rejects with `AudioUnreadable` or the signal's reason.
 * @param monoRate the rate of one channel, which is returned. Undefined: all channels at 48 kHz
 */
export async function decodeOggOpus(
  bytes: Uint8Array,
  signal: AbortSignal,
  monoRate?: SpeechRate,
): Promise<PcmAudio | undefined> {
  const input = new Input({ source: new BufferSource(bytes), formats: [OGG] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if ((await track?.getCodec()) !== 'opus') return undefined;
    const channels = await track!.getNumberOfChannels();
    if (channels !== 1 && channels !== 2) return undefined;
    return await decode(track!, monoRate ? 1 : channels, monoRate ?? CLOCK, signal);
  } catch (error) {
    if (signal.aborted || error instanceof AudioUnreadable) throw error;
    throw new AudioUnreadable(`its Ogg pages or Opus packets are damaged (${(error as Error).message})`, {
      cause: error,
    });
  } finally {
    input.dispose();
  }
}

async function decode(
  track: InputAudioTrack,
  channels: 1 | 2,
  rate: SpeechRate,
  signal: AbortSignal,
): Promise<PcmAudio> {
  const config = await track.getDecoderConfig();
  const head = new DataView((config!.description as Uint8Array).slice().buffer);
  const skip = Math.round((head.getUint16(10, true) * rate) / CLOCK);
  // The header contains the gain in units of 1/256 decibel.
  const gain = 10 ** (head.getInt16(16, true) / 256 / 20);
  // A file cut out of a stream begins at its time in that stream.
  const start = Math.max(0, await track.getFirstTimestamp());
  const end = Math.max(0, Math.round(((await track.computeDuration()) - start) * rate));
  requireReadableLength('Opus', channels, end);
  const decoder = await createDecoder({ channels, sampleRate: rate });
  try {
    const planes = Array.from({ length: channels }, () => new Float32Array(end));
    let at = -skip;
    let count = 0;
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const pcm = decoder.decodeFloat(packet.data);
      const length = pcm.length / channels;
      const [from, to] = [Math.max(0, -at), Math.min(length, end - at)];
      for (const [channel, plane] of planes.entries())
        for (let i = from; i < to; i++) plane[at + i] = pcm[i * channels + channel]! * gain;
      at += length;
      if (++count % PACKETS_PER_YIELD === 0) await yieldToEventLoop(signal);
    }
    signal.throwIfAborted();
    return { sampleRate: rate, channels: planes };
  } finally {
    decoder.free();
  }
}
