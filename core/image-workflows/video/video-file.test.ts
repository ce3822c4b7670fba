import { expect, it } from 'vitest';
import { type MediaCodecs, type MediaFile, MediaUnavailable } from '#core/host';
import { requireMediaCodecs } from './codecs.ts';
import { videoFromFile } from './video-file.ts';

const { signal } = new AbortController();
const frame = (width: number, height: number, value: number) => ({
  width,
  height,
  channels: 4,
  data: new Uint8Array(width * height * 4).fill(value),
});
interface FakeFile {
  frames?: ReturnType<typeof frame>[];
  codec?: string;
  video?: MediaFile['video'];
  audio?: number[];
}
/** A video whose file has these frames. `closed` counts how often the file was closed. */
function videoOf({ frames = [], codec = 'h264', audio, ...rest }: FakeFile) {
  const video = { width: 2, height: 1, framesPerSecond: 25, codec };
  const state = { closed: 0 };
  const file = {
    video,
    hasAudio: audio !== undefined,
    readFrames: async (take: (each: unknown) => void) => frames.forEach(take),
    readAudio: async () => ({ sampleRate: 8000, channels: audio?.length ? [Float32Array.from(audio)] : [] }),
    asMp4: async () => Uint8Array.of(1),
    close: async () => void state.closed++,
    ...rest,
  } as unknown as MediaFile;
  const codecs = { open: async () => file } as unknown as MediaCodecs;
  return { state, video: videoFromFile(() => codecs, { name: 'a.mp4', read: async () => new Uint8Array() }) };
}

it('reads frames as images from 0 to 1 without alpha, and closes the file', async () => {
  const { video, state } = videoOf({ frames: [frame(2, 1, 0), frame(2, 1, 255)], audio: [0.5] });
  const { images, fps, audio } = await video.parts(signal);
  expect(images.shape).toEqual([2, 1, 2, 3]);
  expect([...images.data]).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
  expect([fps, audio!.sample_rate, audio!.waveform.shape]).toEqual([25, 8000, [1, 1, 1]]);
  expect(state.closed).toBe(1);
});

it('has no audio when the track is empty', async () => {
  expect(await videoOf({ frames: [frame(2, 1, 0)], audio: [] }).video.parts(signal)).not.toHaveProperty(
    'audio',
  );
});

it.each<[FakeFile, string]>([
  [{ video: undefined }, 'it contains no images'],
  [{ frames: [] }, 'it contains no images'],
  [{ frames: [frame(2, 1, 0), frame(1, 2, 0)] }, 'its images change their size, from 2 x 1 to 1 x 2'],
])('names the file and the reason when it cannot be read (%#)', async (file, reason) => {
  const { video, state } = videoOf(file);
  await expect(video.parts(signal)).rejects.toThrow(`cannot read the video file 'a.mp4': ${reason}`);
  expect(state.closed).toBe(1);
});

it.each([
  ['h264', 'auto', true],
  ['vp8', 'auto', false],
  ['vp9', 'h264', false],
  ['vp9', 'vp9', true],
])('copies the images of %s into an MP4 file with the codec %s: %s', async (stored, codec, isCopied) => {
  const mp4 = await videoOf({ codec: stored }).video.asMp4!(codec as 'auto', {}, signal);
  expect(mp4 !== undefined).toBe(isCopied);
});

it('refuses media where the platform has no codecs', () => {
  expect(() => requireMediaCodecs({})).toThrow(MediaUnavailable);
});
