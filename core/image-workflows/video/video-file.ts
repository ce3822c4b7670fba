import { MAX_SAMPLES } from '#core/audio';
import { type MediaCodecs, type MediaFile, MediaUnreadable, type VideoTrack } from '#core/host';
import { MAX_PIXELS } from '#core/image-codecs';
import { audioFromPlanes } from '../audio/audio.ts';
import type { Video, VideoParts } from '../values/media.ts';
import { type FloatTensor, zeros } from '../values/tensor.ts';
import { runYielding, type Steps } from '../yielding/steps.ts';

/** Codecs whose images an MP4 file can contain without encoding them again. */
const MP4_CODECS = /^(h264|hevc|vp9|av1)$/;

export interface StoredVideo {
  /** The name in the graph, for errors. */
  name: string;
  read(): Promise<Uint8Array>;
}

/**
 * A video in a file, which is read by each method. Methods reject with `MediaUnreadable`, which contains the name of the
 * file, with `MediaUnavailable`, or with the signal's reason.
 */
export function videoFromFile(codecs: () => MediaCodecs, { name, read }: StoredVideo): Video {
  const open = async <T>(signal: AbortSignal, use: (file: MediaFile, video: VideoTrack) => Promise<T>) => {
    let file: MediaFile | undefined;
    try {
      file = await codecs().open(await read(), signal);
      if (!file.video) throw new MediaUnreadable('it contains no images');
      return await use(file, file.video);
    } catch (error) {
      if (!(error instanceof MediaUnreadable)) throw error;
      throw new MediaUnreadable(`cannot read the video file '${name}': ${error.message}`, { cause: error });
    } finally {
      await file?.close();
    }
  };
  return {
    parts: (signal) => open(signal, (file, video) => readParts(file, video, signal)),
    size: (signal) => open(signal, async (_, { width, height }) => ({ width, height })),
    asMp4: (codec, texts, signal) =>
      open(signal, async (file, video) => {
        const canCopy = codec === 'auto' ? MP4_CODECS.test(video.codec) : video.codec === codec;
        return canCopy ? file.asMp4(texts, signal) : undefined;
      }),
  };
}

async function readParts(file: MediaFile, video: VideoTrack, signal: AbortSignal): Promise<VideoParts> {
  const { framesPerSecond: fps } = video;
  const images = await readImages(file, video, signal);
  if (!file.hasAudio) return { images, fps };
  const { sampleRate, channels } = await file.readAudio(MAX_SAMPLES, signal);
  if (channels.length === 0) return { images, fps };
  return { images, fps, audio: audioFromPlanes(channels, channels.length, sampleRate) };
}

async function readImages(file: MediaFile, { width, height }: VideoTrack, signal: AbortSignal) {
  const maxFrames = Math.floor(MAX_PIXELS / (width * height));
  const frames: { data: Uint8Array | Uint8ClampedArray; channels: number }[] = [];
  await file.readFrames((frame) => {
    if (frame.width !== width || frame.height !== height)
      throw new MediaUnreadable(
        `its images change their size, from ${width} x ${height} to ${frame.width} x ${frame.height}`,
      );
    if (frames.length >= maxFrames)
      throw new MediaUnreadable(
        `it has more than ${maxFrames} images of ${width} x ${height}, the limit of ${MAX_PIXELS / 2 ** 20} million pixels in all: cut it, or make it smaller`,
      );
    frames.push(frame);
  }, signal);
  if (frames.length === 0) throw new MediaUnreadable('it contains no images');
  return runYielding(
    (function* (): Steps<FloatTensor> {
      const pixels = width * height;
      const images = zeros([frames.length, height, width, 3]);
      for (const [index, { data, channels }] of frames.entries()) {
        let to = index * pixels * 3;
        for (let pixel = 0; pixel < pixels; pixel++)
          for (let channel = 0; channel < 3; channel++)
            images.data[to++] = data[pixel * channels + channel]! / 255;
        yield;
      }
      return images;
    })(),
    signal,
  );
}
