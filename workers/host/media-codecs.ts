import { type MediaCodecs, MediaUnavailable } from '#core/host';

/** Media by the browser's own codecs (WebCodecs). The code that reads and writes containers is loaded when first needed. */
export const browserMedia: MediaCodecs = {
  open: async (file, signal) => (await import('./media/open-media.ts')).openMedia(file, signal),
  encodeVideo: async (video, signal) => (await import('./media/encode-video.ts')).encodeVideo(video, signal),
  async encodeMp3() {
    throw new MediaUnavailable(
      'browsers do not write MP3: save it as Opus (SaveAudioOpus) or FLAC (SaveAudio), or let tabd run in Node with ffmpeg',
    );
  },
};
