import type { MediaCodecs, PcmAudio, VideoToEncode } from '#core/host';
import { type Audio, audioPlanes } from '../audio/audio.ts';
import { imageRaster } from '../images/rasters.ts';
import type { VideoParts } from '../values/media.ts';

export type VideoFormat = Pick<VideoToEncode, 'container' | 'codecs' | 'quantizer' | 'metadata'>;

/**
 * A whole file. The sound ends with the pictures. Throws for sides that the codec does not have; rejects with `MediaUnavailable` or
 * the signal's reason.
 */
export function encodeVideo(
  codecs: MediaCodecs,
  { images, fps, audio }: VideoParts,
  form: VideoFormat,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { batch, height, width, channels, data } = imageRaster(images);
  if (form.codecs.includes('h264') && (width % 2 || height % 2))
    throw new Error(
      `H.264 has even sides only, and these pictures are ${width} x ${height}: crop or scale them first (ImageCrop, ImageScale)`,
    );
  const milliFramesPerSecond = Math.max(1, Math.round(fps * 1000));
  if (!Number.isFinite(milliFramesPerSecond))
    throw new Error(`pictures a second are a number such as 24, and not ${fps}: set fps to one`);
  const pixels = width * height;
  const rgba = new Uint8Array(pixels * 4);
  const sound =
    audio && audioStart(audio, Math.ceil((audio.sample_rate * 1000 * batch) / milliFramesPerSecond));
  return codecs.encodeVideo(
    {
      ...form,
      width,
      height,
      milliFramesPerSecond,
      frames: batch,
      frame(index) {
        const from = index * pixels * channels;
        for (let pixel = 0; pixel < pixels; pixel++)
          for (let channel = 0; channel < 3; channel++) {
            const value = data[from + pixel * channels + (channels < 3 ? 0 : channel)]!;
            // In single precision and cut off, as the system imitated counts.
            rgba[pixel * 4 + channel] = Math.min(255, Math.max(0, Math.fround(value * 255)));
          }
        return rgba;
      },
      ...(sound && { audio: sound }),
    },
    signal,
  );
}

/** The first of a batch; undefined where it holds nothing. */
function audioStart(sound: Audio, samples: number): PcmAudio | undefined {
  const channels = audioPlanes(sound)
    .slice(0, sound.waveform.shape[1])
    .map((plane) => plane.subarray(0, samples));
  return channels[0]?.length ? { sampleRate: sound.sample_rate, channels } : undefined;
}
