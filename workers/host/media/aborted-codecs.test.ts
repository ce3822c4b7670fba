import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Output, WebMOutputFormat } from 'mediabunny';
import { afterEach, expect, test, vi } from 'vitest';
import type { MediaFile, VideoToEncode } from '#core/host';
import { encodeVideo } from './encode-video.ts';
import { openMedia } from './open-media.ts';

const { signal } = new AbortController();
const stopped = new Error('stopped');
afterEach(() => vi.unstubAllGlobals());

const never = () => new Promise<never>(() => {});
/** A codec that accepts all input and returns no output, as after a crash of the browser's GPU process. */
class SilentCodec {
  static readonly isConfigSupported = async (config: object) => ({ supported: true, config });
  state = 'unconfigured';
  encodeQueueSize = 0;
  decodeQueueSize = 0;
  static onCreate: () => void = () => {};
  constructor() {
    SilentCodec.onCreate();
  }
  configure() {
    this.state = 'configured';
  }
  encode() {}
  decode() {}
  flush = never;
  reset() {}
  close() {
    this.state = 'closed';
  }
  addEventListener() {}
  removeEventListener() {}
}

/** A WebM file of VP8 frames that no decoder could read, at these times in seconds. */
async function createWebm(...times: number[]): Promise<Uint8Array> {
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const source = new EncodedVideoPacketSource('vp8');
  output.addVideoTrack(source);
  await output.start();
  const config = { codec: 'vp8', codedWidth: 16, codedHeight: 16 };
  for (const time of times)
    await source.add(new EncodedPacket(new Uint8Array(9), 'key', time, times[1] ?? 0), {
      decoderConfig: config,
    });
  await output.finalize();
  return new Uint8Array(output.target.buffer!);
}

/** Aborts the work when it uses a codec. Resolves with the work's result or error, or with a text when it does not end. */
async function outcomeOfAbort(work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const abort = new AbortController();
  const codecUsed = new Promise<void>((resolve) => {
    SilentCodec.onCreate = resolve;
  });
  const outcome = work(abort.signal).catch((error: unknown) => error);
  await Promise.race([codecUsed, outcome]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  abort.abort(stopped);
  const timeout = new Promise((resolve) => setTimeout(() => resolve('still running'), 2000));
  return Promise.race([outcome, timeout]);
}

test('an abort ends the wait for a decoder that never responds', async () => {
  vi.stubGlobal('VideoDecoder', SilentCodec);
  vi.stubGlobal('EncodedVideoChunk', class {});
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext() {}
    },
  );
  const file = await openMedia(await createWebm(0, 0.1), signal);
  expect(await outcomeOfAbort((signal) => file.readFrames(() => {}, signal))).toBe(stopped);
});

test('an abort ends the wait for a decoder that never reports its support', async () => {
  vi.stubGlobal(
    'VideoDecoder',
    class extends SilentCodec {
      static override readonly isConfigSupported = () => {
        SilentCodec.onCreate();
        return never();
      };
    },
  );
  const file: MediaFile = await openMedia(await createWebm(0, 0.1), signal);
  expect(await outcomeOfAbort((signal) => file.readFrames(() => {}, signal))).toBe(stopped);
});

test.each([
  ['a video encoder', undefined],
  ['an audio encoder', { sampleRate: 8000, channels: [new Float32Array(80_000)] }],
])('an abort ends the wait for %s that never responds', async (_, audio) => {
  vi.stubGlobal('VideoEncoder', SilentCodec);
  vi.stubGlobal(
    'AudioEncoder',
    class extends SilentCodec {
      override encodeQueueSize = 99;
    },
  );
  vi.stubGlobal('AudioData', FakeAudioData);
  vi.stubGlobal('VideoFrame', FakeVideoFrame);
  const pixels = new Uint8Array(64 * 64 * 4);
  const video: VideoToEncode = {
    ...{ container: 'mp4', codecs: ['vp9'], width: 64, height: 64, milliFramesPerSecond: 8000, frames: 4 },
    ...{ frame: () => pixels, metadata: {}, ...(audio && { audio }) },
  };
  expect(await outcomeOfAbort((signal) => encodeVideo(video, signal))).toBe(stopped);
});

class FakeAudioData {
  close() {}
}
class FakeVideoFrame {
  readonly format = 'I420';
  readonly colorSpace = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false };
  readonly codedWidth: number;
  readonly codedHeight: number;
  readonly displayWidth: number;
  readonly displayHeight: number;
  readonly visibleRect: object;
  readonly timestamp: number;
  readonly duration: number;
  constructor(
    _: unknown,
    init: { codedWidth: number; codedHeight: number; timestamp: number; duration: number },
  ) {
    this.codedWidth = this.displayWidth = init.codedWidth;
    this.codedHeight = this.displayHeight = init.codedHeight;
    this.visibleRect = { x: 0, y: 0, width: init.codedWidth, height: init.codedHeight };
    this.timestamp = init.timestamp;
    this.duration = init.duration;
  }
  clone() {
    return this;
  }
  close() {}
}

test.each([
  ['one frame', [0], 1],
  ['frames that all begin at once', [0, 0, 0], 1],
  // The last frame has no duration in such a file.
  ['four frames at intervals of a quarter of a second', [0, 0.25, 0.5, 0.75], 16 / 3],
])('the frame rate of %s', async (_, times, rate) => {
  const file = await openMedia(await createWebm(...times), signal);
  expect(file.video!.framesPerSecond).toBeCloseTo(rate, 1);
});
