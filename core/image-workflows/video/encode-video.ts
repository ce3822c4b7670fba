import type { MediaCodecs, PcmAudio, VideoToEncode } from '#core/host';
import { type Audio, audioPlanes } from '../audio/audio.ts';
import { imageRaster } from '../images/rasters.ts';
import type { VideoParts } from '../values/media.ts';

/** Container, codecs and metadata of a video file. */
export type VideoFormat = Pick<VideoToEncode, 'container' | 'codecs' | 'quantizer' | 'metadata'>;

/**
 * Encodes a video file. The audio is cut off at the end of the images. Throws for sizes that the codec does not support,
 * and frame rates that are not finite. Rejects with `MediaUnavailable` or the signal's reason.
 */
export function encodeVideoFile(
  codecs: MediaCodecs,
  { images, fps, audio }: VideoParts,
  format: VideoFormat,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { batch, height, width, channels, data } = imageRaster(images);
  if (format.codecs.includes('h264') && (width % 2 || height % 2))
    throw new Error(
      `H.264 has even sides only, and these images are ${width} x ${height}: crop or scale them first (ImageCrop, ImageScale)`,
    );
  const milliFramesPerSecond = Math.max(1, Math.round(fps * 1000));
  if (!Number.isFinite(milliFramesPerSecond)) throw new Error(`fps must be a number such as 24, not ${fps}`);
  const pixels = width * height;
  const rgba = new Uint8Array(pixels * 4);
  const audioOfImages =
    audio && audioStart(audio, Math.ceil((audio.sample_rate * 1000 * batch) / milliFramesPerSecond));
  return codecs.encodeVideo(
    {
      ...format,
      width,
      height,
      milliFramesPerSecond,
      frames: batch,
      frame(index) {
        const from = index * pixels * channels;
        for (let pixel = 0; pixel < pixels; pixel++)
          for (let channel = 0; channel < 3; channel++) {
            const value = data[from + pixel * channels + (channels < 3 ? 0 : channel)]!;
            // Single precision and rounded down, as in ComfyUI.
            rgba[pixel * 4 + channel] = Math.min(255, Math.max(0, Math.fround(value * 255)));
          }
        return rgba;
      },
      ...(audioOfImages && { audio: audioOfImages }),
    },
    signal,
  );
}

/** The first `samples` samples of the first entry of a batch. Undefined when it is empty. */
function audioStart(audio: Audio, samples: number): PcmAudio | undefined {
  const channels = audioPlanes(audio)
    .slice(0, audio.waveform.shape[1])
    .map((plane) => plane.subarray(0, samples));
  return channels[0]?.length ? { sampleRate: audio.sample_rate, channels } : undefined;
}
