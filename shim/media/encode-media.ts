import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Mp3Options, PcmAudio, VideoCodec, VideoToEncode } from '#core/host';
import { readFileBytes } from '../base/read-bytes.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { isProgramOutOfSpace } from './full-disk.ts';
import { interleavedPieces } from './interleave.ts';
import { metadataFile } from './metadata-file.ts';
import { ProgramFailed } from './run-program.ts';
import { withFolder } from './temporary-folder.ts';

/** Bits for each pixel, for encoders without a constant-quality mode. */
const BITS_A_PIXEL = 0.15;

/** BT.709 in TV range, which players assume for files without color data. The file states it too. */
const COLOR_OPTIONS = [
  ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv', '-colorspace', 'bt709'],
  ...['-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
];

/**
 * Encodes a video. Frames go through a pipe, one at a time. The output is in a temporary folder in `parent`.
 */
export function encodeVideo(
  ffmpeg: Ffmpeg,
  parent: string,
  video: VideoToEncode,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, milliFramesPerSecond, audio, metadata, container } = video;
  return withFolder(parent, async (folder) => {
    const suits = (name: string) => name !== 'libsvtav1' || isSizeForSvt(video);
    const { codec, name } = await ffmpeg.encoder(video.codecs, signal, suits);
    const [metadataPath, encoded, pcm] = [
      folder.at('texts'),
      folder.at(`out.${container}`),
      folder.at('audio'),
    ];
    await writeFile(metadataPath, metadataFile(metadata), { signal });
    const rate = `${milliFramesPerSecond}/1000`;
    const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgb0', '-s', `${width}x${height}`, '-framerate', rate];
    const inputs = [...raw, '-i', 'pipe:0', '-f', 'ffmetadata', '-i', metadataPath];
    const outputs = ['-map', '0:v', '-map_metadata', '1', '-c:v', name, ...qualityOf(codec, name, video)];
    if (audio) {
      await writeAudio(audio, pcm, signal);
      inputs.push(...audioInput(audio, pcm));
      outputs.push('-map', '2:a', '-c:a', 'aac');
    }
    if (container === 'mp4') outputs.push('-movflags', 'use_metadata_tags+faststart');
    await describeWriteFailure(
      ffmpeg.run(
        [...inputs, ...COLOR_OPTIONS, ...outputs, '-y', encoded],
        { input: framesOf(video) },
        signal,
      ),
    );
    return readFileBytes(encoded, signal);
  });
}

export function encodeMp3(
  ffmpeg: Ffmpeg,
  parent: string,
  audio: PcmAudio,
  { bitrate, metadata, isPart = false }: Mp3Options,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return withFolder(parent, async (folder) => {
    const { name } = await ffmpeg.encoder(['mp3'], signal);
    const [metadataPath, encoded, pcm] = [folder.at('texts'), folder.at('out.mp3'), folder.at('audio')];
    await writeFile(metadataPath, metadataFile(metadata), { signal });
    await writeAudio(audio, pcm, signal);
    const inputs = [...audioInput(audio, pcm), '-f', 'ffmetadata', '-i', metadataPath];
    // Encoders without variable bitrates use the highest one.
    const best = name === 'libmp3lame' ? ['-q:a', '0'] : ['-b:a', '320k'];
    const quality = bitrate === 'best' ? best : ['-b:a', String(bitrate)];
    const outputs = ['-map', '0:a', '-map_metadata', '1', '-c:a', name, ...quality];
    await describeWriteFailure(
      ffmpeg.run(
        [...inputs, ...outputs, ...(isPart ? PART_OPTIONS : TAG_OPTIONS), '-y', encoded],
        {},
        signal,
      ),
    );
    return readFileBytes(encoded, signal);
  });
}

const TAG_OPTIONS = ['-id3v2_version', '3'];
const PART_OPTIONS = ['-id3v2_version', '0', '-write_xing', '0'];

export function encodeAac(
  ffmpeg: Ffmpeg,
  parent: string,
  audio: PcmAudio,
  bitrate: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return withFolder(parent, async (folder) => {
    const { name } = await ffmpeg.encoder(['aac'], signal);
    const [encoded, pcm] = [folder.at('out.aac'), folder.at('audio')];
    await writeAudio(audio, pcm, signal);
    const outputs = ['-c:a', name, '-b:a', String(bitrate), '-f', 'adts'];
    await describeWriteFailure(
      ffmpeg.run([...audioInput(audio, pcm), ...outputs, '-y', encoded], {}, signal),
    );
    return readFileBytes(encoded, signal);
  });
}

/** Names ffmpeg in errors, because the caller does not know which program writes the file. */
async function describeWriteFailure(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ProgramFailed) || isProgramOutOfSpace(error)) throw error;
    throw new Error(`ffmpeg could not write the file: ${error.message}`, { cause: error });
  }
}

/** libsvtav1 refuses small and odd sizes, which other AV1 encoders accept. */
const isSizeForSvt = ({ width, height }: VideoToEncode): boolean =>
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
  // libsvtav1 treats 0 as its default quality.
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

const writeAudio = (audio: PcmAudio, path: string, signal: AbortSignal): Promise<void> =>
  pipeline(Readable.from(interleavedPieces(audio)), createWriteStream(path), { signal });

const audioInput = ({ sampleRate, channels }: PcmAudio, path: string): string[] => [
  ...['-f', 'f32le', '-ar', String(sampleRate), '-ac', String(channels.length), '-i', path],
];
