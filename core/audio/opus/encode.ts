/** Encoder for Opus (RFC 6716) in Ogg files (RFC 7845). libopus in WebAssembly gives the same bytes on every platform. */
import { createEncoder } from 'libopus-wasm';
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, OggOutputFormat, Output } from 'mediabunny';
import { yieldToEventLoop } from '#core/base';
import { resample } from '../resample.ts';

const RATES = [8000, 12000, 16000, 24000, 48000] as const;
type Rate = (typeof RATES)[number];
/** Positions in a file count samples at this rate, independent of the encoder's rate. */
const CLOCK = 48000;
/** Seconds of a packet. */
const PACKET = 0.02;
/** The size limit of a packet. Two channels at the highest bitrate need less. */
const MAX_PACKET_BYTES = 4000;
/** Packets between two yields to the event loop: 10 s of audio, which take about 50 ms. */
const PACKETS_PER_YIELD = 500;

/**
 * Encodes audio as an Ogg file.
 * @param planes One array for each channel, -1 to 1. Resampled to the next higher rate that Opus supports.
 * @param options.bitrate Bits per second. @param options.texts Comments of the file.
 * Rejects for more than two channels, or with the signal's reason.
 */
export async function encodeOpus(
  planes: readonly Float32Array[],
  sampleRate: number,
  { bitrate, texts }: { bitrate: number; texts: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const channels = planes.length;
  if (channels !== 1 && channels !== 2)
    throw new Error(
      `Opus files have one or two channels here, and this audio has ${channels}: split it, or save it as FLAC`,
    );
  const rate: Rate = RATES.find((supported) => supported >= sampleRate) ?? CLOCK;
  const { channels: resampled } = await resample({ sampleRate, channels: planes }, rate, signal);
  const length = resampled[0]!.length;
  const encoder = await createEncoder({ channels, sampleRate: rate, bitrate, complexity: 10 });
  const source = new EncodedAudioPacketSource('opus');
  const output = new Output({ format: new OggOutputFormat(), target: new BufferTarget() });
  try {
    const before = encoder.getLookahead();
    output.addAudioTrack(source);
    output.setMetadataTags({ raw: { ...texts } });
    await output.start();
    const size = rate * PACKET;
    const packets = Math.max(1, Math.ceil((length + before) / size));
    const pcm = new Float32Array(size * channels);
    for (let packet = 0; packet < packets; packet++) {
      const start = packet * size;
      for (const [channel, plane] of resampled.entries())
        for (let at = 0; at < size; at++) pcm[at * channels + channel] = plane[start + at] ?? 0;
      const bytes = encoder.encodeFloat(pcm, { maxPacketBytes: MAX_PACKET_BYTES });
      // The shorter duration of the last packet marks its samples beyond the end.
      const duration = Math.min(size, length + before - start) / rate;
      await source.add(new EncodedPacket(bytes, 'key', packet * PACKET, duration), {
        decoderConfig: {
          codec: 'opus',
          sampleRate: CLOCK,
          numberOfChannels: channels,
          description: head(channels, rate, before * (CLOCK / rate)),
        },
      });
      if (packet % PACKETS_PER_YIELD === PACKETS_PER_YIELD - 1) await yieldToEventLoop(signal);
    }
    await output.finalize();
    return new Uint8Array(output.target.buffer!);
  } finally {
    encoder.free();
    if (output.state === 'started') await output.cancel();
  }
}

/** The identification header (RFC 7845, 5.1). `skip` is the number of samples at 48 kHz before the audio begins. */
function head(channels: number, rate: number, skip: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(19);
  bytes.set(new TextEncoder().encode('OpusHead'));
  const view = new DataView(bytes.buffer);
  bytes[8] = 1;
  bytes[9] = channels;
  view.setUint16(10, skip, true);
  view.setUint32(12, rate, true);
  return bytes;
}
