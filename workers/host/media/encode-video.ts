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
import { orAborted } from '#core/base';
import { MediaUnavailable, type VideoCodec, type VideoToEncode } from '#core/host';
import { avoidLevel1b, removeTargetType } from './correct-files.ts';
import { createAudioSource, encodeAudio } from './encode-audio.ts';
import { BT709, toI420 } from './yuv.ts';

const CODEC_NAMES = { h264: 'avc', vp9: 'vp9', av1: 'av1' } as const;
/** The quantizers that other programs use by default. */
const DEFAULT_QUANTIZERS: Record<VideoCodec, number> = { h264: 23, vp9: 32, av1: 32 };
/** WebCodecs counts the quantizer of AV1 to 255, other programs to 63. */
const QUANTIZER_SCALES: Record<VideoCodec, number> = { h264: 1, vp9: 1, av1: 255 / 63 };
/**
 * For encoders without constant quality: bits per pixel at quantizer 32. A quantizer that is 8 lower doubles the bits.
 */
const BITS_PER_PIXEL = 0.06;
/** Bits a second. */
const MIN_BITRATE = 100_000;

/**
 * Encodes frames, audio and metadata as a file, by the first codec that the browser supports. Rejects with `MediaUnavailable`
 * when it supports none, and with the signal's reason.
 */
export async function encodeVideo(
  video: VideoToEncode,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted();
  const videoSource = await createVideoSource(video);
  const audioSource = video.audio && (await createAudioSource(video.audio));
  const format =
    video.container === 'mp4' ? new Mp4OutputFormat({ metadataFormat: 'mdta' }) : new WebMOutputFormat();
  const output = new Output({ format, target: new BufferTarget() });
  output.addVideoTrack(videoSource, { frameRate: video.milliFramesPerSecond / 1000 });
  if (audioSource) output.addAudioTrack(audioSource);
  output.setMetadataTags({
    raw: video.container === 'mp4' ? { ...video.metadata } : toMatroskaNames(video.metadata),
  });
  try {
    const encode = async () => {
      await output.start();
      await Promise.all([
        addFrames(videoSource, video, signal),
        audioSource && encodeAudio(audioSource, video.audio!, signal),
      ]);
      await output.finalize();
    };
    await orAborted(encode(), signal);
    const file = new Uint8Array(output.target.buffer!);
    if (video.container === 'webm') removeTargetType(file);
    return file;
  } catch (error) {
    // Not awaited: it waits for the encoder, which may no longer respond.
    if (output.state !== 'finalized') void output.cancel().catch(() => {});
    signal.throwIfAborted();
    throw error;
  }
}

/** Metadata with names in capitals, as Matroska requires them. */
const toMatroskaNames = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name.toUpperCase().replaceAll(' ', '_'), text]),
  );

async function createVideoSource(video: VideoToEncode): Promise<VideoSampleSource> {
  const { width, height, milliFramesPerSecond } = video;
  for (const codec of video.codecs) {
    const quantizer = video.quantizer ?? DEFAULT_QUANTIZERS[codec];
    const bits = (width * height * milliFramesPerSecond * BITS_PER_PIXEL) / 1000;
    const bitrate = Math.max(MIN_BITRATE, Math.round(bits * 2 ** ((32 - quantizer) / 8)));
    const quality = new Quality({ quantizer: Math.round(quantizer * QUANTIZER_SCALES[codec]), bitrate });
    if (await canEncodeVideo(CODEC_NAMES[codec], { width, height, quality }))
      return new VideoSampleSource({
        codec: CODEC_NAMES[codec],
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
    const frame = new VideoFrame(toI420(video.frame(index), width, height), {
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
