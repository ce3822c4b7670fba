import {
  BufferTarget,
  canEncodeVideo,
  Mp4OutputFormat,
  Output,
  Quality,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';
import { MediaUnavailable, type VideoCodec, type VideoToEncode } from '#core/host';
import { avoidLevel1b, forgetLevel } from './correct-files.ts';
import { addSound, soundSource } from './encode-audio.ts';
import { BT709, i420 } from './yuv.ts';

const NAMES = { h264: 'avc', vp9: 'vp9', av1: 'av1' } as const;
/** Of each codec without a word about it: what other programs take. */
const USUAL: Record<VideoCodec, number> = { h264: 23, vp9: 32, av1: 32 };
/** The worst quality of AV1 is 255 here; elsewhere it counts as VP9. */
const SCALES: Record<VideoCodec, number> = { h264: 1, vp9: 1, av1: 255 / 63 };
/** Bits for each pixel at quality 32, of encoders that have no constant quality; twice as many for each 8 below. */
const BITS_A_PIXEL = 0.06;
const LEAST_BITS = 100_000;

export async function encodeVideo(
  video: VideoToEncode,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted();
  const pictures = await pictureSource(video);
  const sound = video.audio && (await soundSource(video.audio));
  const format =
    video.container === 'mp4' ? new Mp4OutputFormat({ metadataFormat: 'mdta' }) : new WebMOutputFormat();
  const output = new Output({ format, target: new BufferTarget() });
  output.addVideoTrack(pictures, { frameRate: video.milliFramesPerSecond / 1000 });
  if (sound) output.addAudioTrack(sound);
  output.setMetadataTags({
    raw: video.container === 'mp4' ? { ...video.metadata } : inCapitals(video.metadata),
  });
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    const work = async () => {
      await output.start();
      await Promise.all([addFrames(pictures, video, signal), sound && addSound(sound, video.audio!, signal)]);
      await output.finalize();
    };
    await Promise.race([work(), stopped]);
    const file = new Uint8Array(output.target.buffer!);
    if (video.container === 'webm') forgetLevel(file);
    return file;
  } catch (error) {
    // An encoder that no longer answers keeps it waiting.
    if (output.state !== 'finalized') void output.cancel().catch(() => {});
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Names in Matroska files are in capitals. */
const inCapitals = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name.toUpperCase().replaceAll(' ', '_'), text]),
  );

async function pictureSource(video: VideoToEncode): Promise<VideoSampleSource> {
  const { width, height, milliFramesPerSecond } = video;
  for (const codec of video.codecs) {
    const wanted = video.quantizer ?? USUAL[codec];
    const bits = (width * height * milliFramesPerSecond * BITS_A_PIXEL) / 1000;
    const bitrate = Math.max(LEAST_BITS, Math.round(bits * 2 ** ((32 - wanted) / 8)));
    const quality = new Quality({ quantizer: Math.round(wanted * SCALES[codec]), bitrate });
    if (await canEncodeVideo(NAMES[codec], { width, height, quality }))
      return new VideoSampleSource({
        codec: NAMES[codec],
        quality,
        onEncodedPacket: (_, meta) => avoidLevel1b(codec, meta?.decoderConfig),
      });
  }
  const names = video.codecs.join(', ');
  throw new MediaUnavailable(
    `this browser cannot write ${names} of ${width} x ${height}: take another codec or another browser, or let tabd run in Node with ffmpeg`,
  );
}

async function addFrames(
  source: VideoSampleSource,
  video: VideoToEncode,
  signal: AbortSignal,
): Promise<void> {
  const { width, height, frames, milliFramesPerSecond } = video;
  const microseconds = (frame: number) => Math.round((frame * 1e9) / milliFramesPerSecond);
  for (let index = 0; index < frames; index++) {
    signal.throwIfAborted();
    const timestamp = microseconds(index);
    const frame = new VideoFrame(i420(video.frame(index), width, height), {
      ...{ format: 'I420', codedWidth: width, codedHeight: height, colorSpace: BT709 },
      ...{ timestamp, duration: microseconds(index + 1) - timestamp },
    });
    const sample = new VideoSample(frame);
    try {
      await source.add(sample);
    } finally {
      sample.close();
    }
  }
  source.close();
}
