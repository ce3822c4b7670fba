import {
  ADTS,
  AudioSampleSink,
  BufferSource,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  VideoSampleSink,
  WAVE,
  WEBM,
} from 'mediabunny';
import { SpeechResampler } from '#core/audio';
import { orAborted } from '#core/base';
import {
  type MediaFile,
  MediaUnavailable,
  MediaUnreadable,
  type PcmAudio,
  type VideoTrack,
} from '#core/host';
import { copyToMp4 } from './copy-media.ts';
import { joinPlanes } from './join-planes.ts';

/** All formats of a single file. Playlists (HLS) are left out, because they would fetch other files from any address. */
const FORMATS = [MP4, QTFF, MATROSKA, WEBM, WAVE, OGG, FLAC, MP3, ADTS, MPEG_TS];
/** Codecs whose names here differ from those of the library. */
const CODEC_NAMES: Record<string, string> = { avc: 'h264' };

/**
 * Opens a media file in memory, with its primary video track and its primary audio track. Rejects with `MediaUnreadable`, or
 * with the signal's reason.
 */
export async function openMedia(bytes: Uint8Array, signal: AbortSignal): Promise<MediaFile> {
  const input = new Input({ source: new BufferSource(bytes), formats: FORMATS });
  const read = <T>(work: () => Promise<T>, signal: AbortSignal) => orUnreadable(input, work, signal);
  return read(async () => {
    if (!(await input.canRead())) throw new MediaUnreadable('it is in no format that is read here');
    const video = await input.getPrimaryVideoTrack();
    const audio = await input.getPrimaryAudioTrack();
    if (!video && !audio) throw new MediaUnreadable('it contains neither video nor audio');
    return {
      ...(video && { video: await describeTrack(video) }),
      hasAudio: audio !== null,
      readFrames: (onFrame, signal) => read(() => readFrames(video!, onFrame, signal), signal),
      readAudio: (maxSamples, signal, monoRate) =>
        read(() => readAudio(audio!, maxSamples, monoRate, signal), signal),
      asMp4: (metadata, signal) => read(() => copyToMp4(input, video!, audio, metadata, signal), signal),
      close: async () => input.dispose(),
    };
  }, signal);
}

async function describeTrack(track: InputVideoTrack): Promise<VideoTrack> {
  const isRotated = (await track.getRotation()) % 180 === 90;
  const [width, height] = [await track.getCodedWidth(), await track.getCodedHeight()];
  const { averagePacketRate } = await track.computePacketStats();
  const codec = (await track.getCodec()) ?? 'an unknown codec';
  return {
    width: isRotated ? height : width,
    height: isRotated ? width : height,
    // The rate is not finite if all frames have the same time, or are out of order.
    framesPerSecond: Number.isFinite(averagePacketRate) && averagePacketRate > 0 ? averagePacketRate : 1,
    codec: CODEC_NAMES[codec] ?? codec,
  };
}

async function readFrames(
  track: InputVideoTrack,
  onFrame: Parameters<MediaFile['readFrames']>[0],
  signal: AbortSignal,
) {
  await requireDecodable(track, 'video');
  const { width, height } = await describeTrack(track);
  // The canvas stays in main memory, because each frame is read back.
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false })!;
  for await (const sample of new VideoSampleSink(track).samples()) {
    try {
      signal.throwIfAborted();
      sample.draw(context, 0, 0, width, height);
    } finally {
      sample.close();
    }
    onFrame({ width, height, channels: 4, data: context.getImageData(0, 0, width, height).data });
  }
}

async function readAudio(
  track: InputAudioTrack,
  maxSamples: number,
  monoRate: number | undefined,
  signal: AbortSignal,
): Promise<PcmAudio> {
  await requireDecodable(track, 'audio');
  const chunks: Float32Array<ArrayBuffer>[][] = [];
  let resampler: SpeechResampler | undefined;
  let [sampleRate, sampleCount] = [await track.getSampleRate(), 0];
  for await (const sample of new AudioSampleSink(track).samples()) {
    try {
      signal.throwIfAborted();
      sampleRate = sample.sampleRate;
      // Samples before time 0 exist for the decoder alone.
      const frameOffset = Math.max(0, Math.round(-sample.timestamp * sampleRate));
      const length = sample.numberOfFrames - frameOffset;
      if (length <= 0) continue;
      sampleCount += monoRate ? (length * monoRate) / sampleRate : length * sample.numberOfChannels;
      if (sampleCount > maxSamples)
        throw new MediaUnreadable(`its audio is longer than ${maxSamples} samples: cut it into parts`);
      const planes = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
        const plane = new Float32Array(length);
        sample.copyTo(plane, { planeIndex, format: 'f32-planar', frameOffset });
        return plane;
      });
      if (monoRate) {
        resampler ??= new SpeechResampler(sampleRate, monoRate);
        await resampler.push(planes, signal);
      } else chunks.push(planes);
    } finally {
      sample.close();
    }
  }
  if (monoRate) return { sampleRate: monoRate, channels: resampler ? [await resampler.finish(signal)] : [] };
  return { sampleRate, channels: joinPlanes(chunks) };
}

/** @throws MediaUnreadable when the browser cannot decode the track */
async function requireDecodable(
  track: InputVideoTrack | InputAudioTrack,
  kind: 'video' | 'audio',
): Promise<void> {
  if (await track.canDecode()) return;
  const codec = (await track.getCodec()) ?? (await track.getCodecParameterString()) ?? 'something unknown';
  throw new MediaUnreadable(
    `its ${kind} is coded as ${CODEC_NAMES[codec] ?? codec}, which this browser does not decode: take another browser or another codec, or let tabd run in Node with ffmpeg`,
  );
}

/**
 * Runs work on a file. Errors of the library and of decoders become `MediaUnreadable`. Rejects with the signal's reason as soon
 * as it aborts, even if a decoder never responds.
 */
async function orUnreadable<T>(input: Input, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = () => input.dispose();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await orAborted(work(), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MediaUnreadable || error instanceof MediaUnavailable) throw error;
    throw new MediaUnreadable((error as Error).message, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
