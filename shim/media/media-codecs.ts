import type { MediaCodecs } from '#core/host';
import { encodeAac, encodeMp3, encodeVideo } from './encode-media.ts';
import { Ffmpeg } from './ffmpeg.ts';
import { asStorageFull } from './full-disk.ts';
import { openMedia } from './open-media.ts';

/**
 * Media codecs by the programs ffmpeg and ffprobe. `setting`: TABD_FFMPEG. `folder`: for temporary copies of
 * files. Methods also reject with `StorageFull`.
 */
export function nodeMedia(setting: string | undefined, folder: string): MediaCodecs {
  const ffmpeg = new Ffmpeg(setting);
  /** Rejects with the signal's reason when it aborts, instead of an error of files and pipes. */
  const reasonOf = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      throw asStorageFull(error, folder);
    }
  };
  return {
    async open(file, signal) {
      const opened = await reasonOf(openMedia(ffmpeg, folder, file, signal), signal);
      return {
        ...opened,
        readFrames: (take, signal) => reasonOf(opened.readFrames(take, signal), signal),
        readAudio: (most, signal, monoRate) => reasonOf(opened.readAudio(most, signal, monoRate), signal),
        asMp4: (texts, signal) => reasonOf(opened.asMp4(texts, signal), signal),
      };
    },
    encodeVideo: (video, signal) => reasonOf(encodeVideo(ffmpeg, folder, video, signal), signal),
    encodeMp3: (sound, options, signal) =>
      reasonOf(encodeMp3(ffmpeg, folder, sound, options, signal), signal),
    encodeAac: (audio, bitrate, signal) =>
      reasonOf(encodeAac(ffmpeg, folder, audio, bitrate, signal), signal),
  };
}
