import { type MediaCodecs, MediaUnavailable } from '#core/host';

/** Media by the browser's own codecs (WebCodecs). The code that reads and writes containers is loaded when first needed. */
export const browserMedia: MediaCodecs = {
  open: async (file, signal) => (await import('./media/lazy.ts')).openMedia(file, signal),
  encodeVideo: async (video, signal) => (await import('./media/lazy.ts')).encodeVideo(video, signal),
  async encodeMp3() {
    throw new MediaUnavailable(
      'browsers do not write MP3: take Opus (in graphs, SaveAudioOpus) or FLAC (SaveAudio), or let tabd run in Node with ffmpeg',
    );
  },
  encodeAac: async (audio, bitrate, signal) =>
    (await import('./media/lazy.ts')).encodeAac(audio, bitrate, signal),
};
