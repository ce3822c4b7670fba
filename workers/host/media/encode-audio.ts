import { AudioSample, AudioSampleSource, canEncodeAudio, Quality } from 'mediabunny';
import { MediaUnavailable, type PcmAudio } from '#core/host';

/** Bits a second. */
const AUDIO_BITRATE = 128_000;
/** The sampling rate in Hz, the highest of the few that Opus supports. */
const OPUS_RATE = 48_000;

/**
 * An audio track as AAC, which most players support, or as Opus where the browser cannot encode AAC.
 * @throws MediaUnavailable when the browser can encode neither
 */
export async function createAudioSource({ sampleRate, channels }: PcmAudio): Promise<AudioSampleSource> {
  const quality = new Quality({ bitrate: AUDIO_BITRATE });
  const numberOfChannels = channels.length;
  if (await canEncodeAudio('aac', { numberOfChannels, sampleRate, quality }))
    return new AudioSampleSource({ codec: 'aac', quality });
  if (await canEncodeAudio('opus', { numberOfChannels, sampleRate: OPUS_RATE, quality }))
    return new AudioSampleSource({ codec: 'opus', quality, transform: { sampleRate: OPUS_RATE } });
  throw new MediaUnavailable(
    `this browser writes neither AAC nor Opus with ${numberOfChannels} channels: take another browser, or let tabd run in Node with ffmpeg`,
  );
}

/** Encodes audio, one second at a time, and closes the source. */
export async function encodeAudio(
  source: AudioSampleSource,
  { sampleRate, channels }: PcmAudio,
  signal: AbortSignal,
): Promise<void> {
  const length = channels[0]!.length;
  for (let start = 0; start < length; start += sampleRate) {
    signal.throwIfAborted();
    const planes = channels.map((plane) => plane.subarray(start, start + sampleRate));
    const size = planes[0]!.length;
    const data = new Float32Array(size * channels.length);
    for (const [channel, plane] of planes.entries()) data.set(plane, channel * size);
    const format = { format: 'f32-planar', numberOfChannels: channels.length, sampleRate } as const;
    const sample = new AudioSample({ ...format, data, timestamp: start / sampleRate });
    try {
      await source.add(sample);
    } finally {
      sample.close();
    }
  }
  source.close();
}
