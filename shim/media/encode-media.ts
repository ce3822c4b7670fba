import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Mp3Options, PcmAudio, VideoCodec, VideoToEncode } from '#core/host';
import { readWhole } from '../base/read-bytes.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { isFull } from './full-disk.ts';
import { interleaved } from './interleave.ts';
import { ProgramFailed } from './run-program.ts';
import { withFolder } from './temporary-folder.ts';
import { textsFile } from './texts-file.ts';

/** Bits for each pixel, of encoders that have no constant quality. */
const BITS_A_PIXEL = 0.15;

/** Numbers of colours as players expect them of files without a word about it, and said all the same. */
const COLOURS = [
  ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv', '-colorspace', 'bt709'],
  ...['-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
];

/** Pictures go through a pipe, one at a time; the file comes from a folder in `parent` that is removed in every case. */
export function encodeVideo(
  ffmpeg: Ffmpeg,
  parent: string,
  video: VideoToEncode,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, milliFramesPerSecond, audio: sound, metadata: texts, container } = video;
  return withFolder(parent, async (folder) => {
    const suits = (name: string) => name !== 'libsvtav1' || isForSvt(video);
    const { codec, name } = await ffmpeg.encoder(video.codecs, signal, suits);
    const [words, made, pcm] = [folder.at('texts'), folder.at(`out.${container}`), folder.at('sound')];
    await writeFile(words, textsFile(texts), { signal });
    const rate = `${milliFramesPerSecond}/1000`;
    const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgb0', '-s', `${width}x${height}`, '-framerate', rate];
    const inputs = [...raw, '-i', 'pipe:0', '-f', 'ffmetadata', '-i', words];
    const outputs = ['-map', '0:v', '-map_metadata', '1', '-c:v', name, ...qualityOf(codec, name, video)];
    if (sound) {
      await writeSound(sound, pcm, signal);
      inputs.push(...soundInput(sound, pcm));
      outputs.push('-map', '2:a', '-c:a', 'aac');
    }
    if (container === 'mp4') outputs.push('-movflags', 'use_metadata_tags+faststart');
    await written(
      ffmpeg.run([...inputs, ...COLOURS, ...outputs, '-y', made], { input: framesOf(video) }, signal),
    );
    return readWhole(made, signal);
  });
}

export function encodeMp3(
  ffmpeg: Ffmpeg,
  parent: string,
  sound: PcmAudio,
  { bitrate, metadata: texts }: Mp3Options,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return withFolder(parent, async (folder) => {
    const { name } = await ffmpeg.encoder(['mp3'], signal);
    const [words, made, pcm] = [folder.at('texts'), folder.at('out.mp3'), folder.at('sound')];
    await writeFile(words, textsFile(texts), { signal });
    await writeSound(sound, pcm, signal);
    const inputs = [...soundInput(sound, pcm), '-f', 'ffmetadata', '-i', words];
    // Encoders without variable rates take the highest.
    const best = name === 'libmp3lame' ? ['-q:a', '0'] : ['-b:a', '320k'];
    const quality = bitrate === 'best' ? best : ['-b:a', String(bitrate)];
    const outputs = ['-map', '0:a', '-map_metadata', '1', '-c:a', name, ...quality];
    await written(ffmpeg.run([...inputs, ...outputs, '-id3v2_version', '3', '-y', made], {}, signal));
    return readWhole(made, signal);
  });
}

/** Whoever asked for a file does not know what makes it. */
async function written(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ProgramFailed) || isFull(error)) throw error;
    throw new Error(`ffmpeg could not write the file: ${error.message}`, { cause: error });
  }
}

/** What it refuses, other encoders of AV1 take. */
const isForSvt = ({ width, height }: VideoToEncode): boolean =>
  [width, height].every((side) => side >= 64 && side % 2 === 0);

function qualityOf(codec: VideoCodec, encoder: string, video: VideoToEncode): string[] {
  const { width, height, milliFramesPerSecond, quantizer } = video;
  const form = ['-pix_fmt', encoder === 'libsvtav1' ? 'yuv420p10le' : 'yuv420p'];
  if (codec === 'h264') {
    if (encoder === 'libx264')
      return [...form, ...(quantizer === undefined ? [] : ['-crf', String(quantizer)])];
    const bits = Math.round((width * height * milliFramesPerSecond * BITS_A_PIXEL) / 1000);
    return [...form, '-b:v', String(Math.max(100_000, bits))];
  }
  // To this one 0 says to take its own quality.
  const quality = String(Math.max(encoder === 'libsvtav1' ? 1 : 0, quantizer ?? 32));
  if (encoder === 'librav1e') return [...form, '-qp', String(Math.round((Number(quality) * 255) / 63))];
  const speed = {
    'libvpx-vp9': ['-row-mt', '1'],
    libsvtav1: ['-preset', '6'],
    'libaom-av1': ['-cpu-used', '6'],
  };
  return [...form, ...(speed[encoder as keyof typeof speed] ?? []), '-crf', quality, '-b:v', '0'];
}

function* framesOf(video: VideoToEncode): Generator<Uint8Array> {
  for (let frame = 0; frame < video.frames; frame++) yield video.frame(frame);
}

const writeSound = (sound: PcmAudio, path: string, signal: AbortSignal): Promise<void> =>
  pipeline(Readable.from(interleaved(sound)), createWriteStream(path), { signal });

const soundInput = ({ sampleRate, channels }: PcmAudio, path: string): string[] => [
  ...['-f', 'f32le', '-ar', String(sampleRate), '-ac', String(channels.length), '-i', path],
];
