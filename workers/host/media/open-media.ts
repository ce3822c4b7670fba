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
import { orAborted } from '#core/base';
import {
  type MediaFile,
  MediaUnavailable,
  MediaUnreadable,
  type PcmAudio,
  type VideoTrack,
} from '#core/host';
import { copied } from './copy-media.ts';
import { joined } from './join-planes.ts';

/** All that hold what they are in one file: lists of other files (HLS) would be fetched from wherever they say. */
const FORMATS = [MP4, QTFF, MATROSKA, WEBM, WAVE, OGG, FLAC, MP3, ADTS, MPEG_TS];
const CODECS: Record<string, string> = { avc: 'h264' };

/** A file in memory. Its pictures and its sound are the first of each that are for everybody. */
export async function openMedia(bytes: Uint8Array, signal: AbortSignal): Promise<MediaFile> {
  const input = new Input({ source: new BufferSource(bytes), formats: FORMATS });
  const read = <T>(work: () => Promise<T>, signal: AbortSignal) => readable(input, work, signal);
  return read(async () => {
    if (!(await input.canRead())) throw new MediaUnreadable('it is in no format that is read here');
    const pictures = await input.getPrimaryVideoTrack();
    const sound = await input.getPrimaryAudioTrack();
    if (!pictures && !sound) throw new MediaUnreadable('it contains neither video nor audio');
    return {
      ...(pictures && { video: await trackOf(pictures) }),
      hasAudio: sound !== null,
      readFrames: (take, signal) => read(() => readFrames(pictures!, take, signal), signal),
      readAudio: (most, signal) => read(() => readSound(sound!, most, signal), signal),
      asMp4: (texts, signal) => read(() => copied(input, pictures!, sound, texts, signal), signal),
      close: async () => input.dispose(),
    };
  }, signal);
}

async function trackOf(track: InputVideoTrack): Promise<VideoTrack> {
  const isOnItsSide = (await track.getRotation()) % 180 === 90;
  const [width, height] = [await track.getCodedWidth(), await track.getCodedHeight()];
  const { averagePacketRate } = await track.computePacketStats();
  const codec = (await track.getCodec()) ?? 'an unknown codec';
  return {
    width: isOnItsSide ? height : width,
    height: isOnItsSide ? width : height,
    // Pictures that all come at once, or before one another, have none.
    framesPerSecond: Number.isFinite(averagePacketRate) && averagePacketRate > 0 ? averagePacketRate : 1,
    codec: CODECS[codec] ?? codec,
  };
}

async function readFrames(
  track: InputVideoTrack,
  take: Parameters<MediaFile['readFrames']>[0],
  signal: AbortSignal,
) {
  await checkDecodable(track, 'pictures');
  const { width, height } = await trackOf(track);
  // On the processor: each picture is read back.
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false })!;
  for await (const sample of new VideoSampleSink(track).samples()) {
    try {
      signal.throwIfAborted();
      sample.draw(context, 0, 0, width, height);
    } finally {
      sample.close();
    }
    take({ width, height, channels: 4, data: context.getImageData(0, 0, width, height).data });
  }
}

async function readSound(track: InputAudioTrack, most: number, signal: AbortSignal): Promise<PcmAudio> {
  await checkDecodable(track, 'sound');
  const pieces: Float32Array<ArrayBuffer>[][] = [];
  let [sampleRate, numbers] = [await track.getSampleRate(), 0];
  for await (const sample of new AudioSampleSink(track).samples()) {
    try {
      signal.throwIfAborted();
      sampleRate = sample.sampleRate;
      // What lies before the beginning is there for the decoder only.
      const frameOffset = Math.max(0, Math.round(-sample.timestamp * sampleRate));
      const length = sample.numberOfFrames - frameOffset;
      if (length <= 0) continue;
      numbers += length * sample.numberOfChannels;
      if (numbers > most)
        throw new MediaUnreadable(`its audio is longer than ${most} samples: cut it into parts`);
      pieces.push(
        Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
          const plane = new Float32Array(length);
          sample.copyTo(plane, { planeIndex, format: 'f32-planar', frameOffset });
          return plane;
        }),
      );
    } finally {
      sample.close();
    }
  }
  return { sampleRate, channels: joined(pieces) };
}

async function checkDecodable(track: InputVideoTrack | InputAudioTrack, what: string): Promise<void> {
  if (await track.canDecode()) return;
  const codec = (await track.getCodec()) ?? (await track.getCodecParameterString()) ?? 'something unknown';
  throw new MediaUnreadable(
    `its ${what} ${what === 'pictures' ? 'are' : 'is'} coded as ${CODECS[codec] ?? codec}, which this browser does not decode: take another browser or another codec, or let tabd run in Node with ffmpeg`,
  );
}

/** Leaves when the signal aborts, also where a decoder never answers again. What the library or a decoder says of a file is about the file. */
async function readable<T>(input: Input, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
