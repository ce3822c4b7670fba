import type { MediaCodecs } from '#core/host';
import { encodeMp3, encodeVideo } from './encode-media.ts';
import { Ffmpeg } from './ffmpeg.ts';
import { asFull } from './full-disk.ts';
import { openMedia } from './open-media.ts';

/**
 * By the programs ffmpeg and ffprobe. `setting`: TABD_FFMPEG; `folder`: where copies of files lie while they are worked on. Methods
 * also reject with `StorageFull`.
 */
export function nodeMedia(setting: string | undefined, folder: string): MediaCodecs {
  const ffmpeg = new Ffmpeg(setting);
  /** Files and pipes end with an error of their own when the signal aborts. */
  const reasonOf = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      throw asFull(error, folder);
    }
  };
  return {
    async open(file, signal) {
      const made = await reasonOf(openMedia(ffmpeg, folder, file, signal), signal);
      return {
        ...made,
        readFrames: (take, signal) => reasonOf(made.readFrames(take, signal), signal),
        readAudio: (most, signal) => reasonOf(made.readAudio(most, signal), signal),
        asMp4: (texts, signal) => reasonOf(made.asMp4(texts, signal), signal),
      };
    },
    encodeVideo: (video, signal) => reasonOf(encodeVideo(ffmpeg, folder, video, signal), signal),
    encodeMp3: (sound, options, signal) =>
      reasonOf(encodeMp3(ffmpeg, folder, sound, options, signal), signal),
  };
}
