import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Output, WebMOutputFormat } from 'mediabunny';
import { afterEach, expect, test, vi } from 'vitest';
import type { MediaFile, VideoToEncode } from '#core/host';
import { encodeVideo } from './encode-video.ts';
import { openMedia } from './open-media.ts';

const { signal } = new AbortController();
const stopped = new Error('stopped');
afterEach(() => vi.unstubAllGlobals());

const never = () => new Promise<never>(() => {});
/** A coder of a browser that takes everything and gives nothing, as a crashed graphics process leaves it. */
class Silent {
  static readonly isConfigSupported = async (config: object) => ({ supported: true, config });
  state = 'unconfigured';
  encodeQueueSize = 0;
  decodeQueueSize = 0;
  static begins: () => void = () => {};
  readonly begun = Silent.begins();
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

/** Pictures of VP8 that nobody has to understand, with these times in seconds. */
async function webm(...times: number[]): Promise<Uint8Array> {
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const pictures = new EncodedVideoPacketSource('vp8');
  output.addVideoTrack(pictures);
  await output.start();
  const config = { codec: 'vp8', codedWidth: 16, codedHeight: 16 };
  for (const time of times)
    await pictures.add(new EncodedPacket(new Uint8Array(9), 'key', time, times[1] ?? 0), {
      decoderConfig: config,
    });
  await output.finalize();
  return new Uint8Array(output.target.buffer!);
}

/** Lets the work begin and stops it; what it ends with, or that it does not. */
async function outcome(work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const own = new AbortController();
  const begun = new Promise<void>((resolve) => {
    Silent.begins = resolve;
  });
  const done = work(own.signal).catch((error: unknown) => error);
  await Promise.race([begun, done]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  own.abort(stopped);
  const late = new Promise((resolve) => setTimeout(() => resolve('it goes on'), 2000));
  return Promise.race([done, late]);
}

test('a decoder that never answers keeps nobody', async () => {
  vi.stubGlobal('VideoDecoder', Silent);
  vi.stubGlobal('EncodedVideoChunk', class {});
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext() {}
    },
  );
  const file = await openMedia(await webm(0, 0.1), signal);
  expect(await outcome((signal) => file.readFrames(() => {}, signal))).toBe(stopped);
});

test('nor does one that never says what it takes', async () => {
  vi.stubGlobal(
    'VideoDecoder',
    class extends Silent {
      static override readonly isConfigSupported = () => {
        Silent.begins();
        return never();
      };
    },
  );
  const file: MediaFile = await openMedia(await webm(0, 0.1), signal);
  expect(await outcome((signal) => file.readFrames(() => {}, signal))).toBe(stopped);
});

test.each([
  ['of pictures', undefined],
  [
    'of sound, when the pictures wait for the end of theirs,',
    { sampleRate: 8000, channels: [new Float32Array(80_000)] },
  ],
])('an encoder %s that never answers keeps nobody', async (_, sound) => {
  vi.stubGlobal('VideoEncoder', Silent);
  vi.stubGlobal(
    'AudioEncoder',
    class extends Silent {
      override encodeQueueSize = 99;
    },
  );
  vi.stubGlobal('AudioData', Sound);
  vi.stubGlobal('VideoFrame', Picture);
  const pixels = new Uint8Array(64 * 64 * 4);
  const video: VideoToEncode = {
    ...{ container: 'mp4', codecs: ['vp9'], width: 64, height: 64, milliFramesPerSecond: 8000, frames: 4 },
    ...{ frame: () => pixels, metadata: {}, ...(sound && { audio: sound }) },
  };
  expect(await outcome((signal) => encodeVideo(video, signal))).toBe(stopped);
});

class Sound {
  close() {}
}
class Picture {
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
  ['one picture', [0], 1],
  ['pictures that come all at once', [0, 0, 0], 1],
  // The last lasts no time in such a file.
  ['four that begin a quarter of a second after one another', [0, 0.25, 0.5, 0.75], 16 / 3],
])('the rate of %s', async (_, times, rate) => {
  const file = await openMedia(await webm(...times), signal);
  expect(file.video!.framesPerSecond).toBeCloseTo(rate, 1);
});
