import { writeFile } from 'node:fs/promises';
import { type MediaFile, MediaUnreadable, type VideoTrack } from '#core/host';
import { readFileBytes } from '../base/read-bytes.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { frameReader } from './frame-reader.ts';
import { isProgramOutOfSpace } from './full-disk.ts';
import { separateChannels } from './interleave.ts';
import { metadataFile } from './metadata-file.ts';
import { ProgramFailed } from './run-program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Formats that consist of one file. Others, such as playlists, refer to addresses and files of this computer.
 * Their content would be disclosed to the sender of the file.
 */
const SELF_CONTAINED_FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,mp3,wav,w64,flac,aac,aiff,avi,asf,flv,mpegts,mpeg,mpegvideo,h264,hevc,amr,caf,gif,webp_pipe';
const SAFE_INPUT = ['-protocol_whitelist', 'file', '-format_whitelist', SELF_CONTAINED_FORMATS];

/** Audio codecs that are copied into an MP4 file without conversion. */
const MP4_AUDIO = /^(aac|mp3|opus|flac|alac|ac3|eac3)$/;

interface Probed {
  streams?: ProbedStream[];
}
interface ProbedStream {
  codec_type?: string;
  codec_name?: string;
  width?: number;
  height?: number;
  avg_frame_rate?: string;
  r_frame_rate?: string;
  sample_rate?: string;
  channels?: number;
  tags?: { rotate?: string };
  side_data_list?: { rotation?: number }[];
  disposition?: { attached_pic?: number };
}

/**
 * Opens a media file. The programs read a copy in a temporary folder in `parent`: formats with their index at
 * the end cannot be read from a pipe.
 */
export async function openMedia(
  ffmpeg: Ffmpeg,
  parent: string,
  file: Uint8Array,
  signal: AbortSignal,
): Promise<MediaFile> {
  const folder = await temporaryFolder(parent);
  try {
    const path = folder.at('in');
    await writeFile(path, file, { signal });
    const input = [...SAFE_INPUT, '-i', path];
    const readable = <T>(work: Promise<T>) => describeReadFailure(work, path);
    const found = (await readable(ffmpeg.probe([...SAFE_INPUT, '-show_streams', path], signal))) as Probed;
    const streams = found.streams ?? [];
    const video = streams.find(
      (stream) => stream.codec_type === 'video' && !stream.disposition?.attached_pic,
    );
    const audio = streams.find((stream) => stream.codec_type === 'audio');
    if (!video && !audio) throw new MediaUnreadable('it contains neither video nor audio');
    const streamIndex = video ? `0:${streams.indexOf(video)}` : '';
    return {
      ...(video && { video: trackOf(video) }),
      hasAudio: audio !== undefined,
      async readFrames(take, signal) {
        const form = ['-map', streamIndex, ...(await ffmpeg.everyFrame(signal))];
        const ppm = ['-c:v', 'ppm', '-pix_fmt', 'rgb24', '-f', 'image2pipe', 'pipe:1'];
        await readable(ffmpeg.run([...input, ...form, ...ppm], { take: frameReader(take) }, signal));
      },
      async readAudio(most, signal, monoRate) {
        const channels = monoRate ? 1 : (audio?.channels ?? 1);
        const rate = monoRate ?? Number(audio?.sample_rate ?? 0);
        const pieces: Uint8Array[] = [];
        let bytes = 0;
        const take = (piece: Uint8Array) => {
          bytes += piece.length;
          if (bytes > most * 4)
            throw new MediaUnreadable(`its audio is longer than ${most} samples: cut it into parts`);
          pieces.push(piece);
        };
        const form = ['-map', `0:${streams.indexOf(audio!)}`, '-ac', String(channels), '-ar', String(rate)];
        await readable(
          ffmpeg.run([...input, ...form, '-c:a', 'pcm_f32le', '-f', 'f32le', 'pipe:1'], { take }, signal),
        );
        return { sampleRate: rate, channels: separateChannels(pieces, channels) };
      },
      async asMp4(texts, signal) {
        const [metadataPath, remuxed] = [folder.at('texts'), folder.at('out.mp4')];
        await writeFile(metadataPath, metadataFile(texts), { signal });
        const streamsOf = ['-map', streamIndex, ...(audio ? ['-map', `0:${streams.indexOf(audio)}`] : [])];
        const audioCodec =
          audio && !MP4_AUDIO.test(audio.codec_name ?? '') ? ['-c:a', 'aac'] : ['-c:a', 'copy'];
        await readable(
          ffmpeg.run(
            [
              ...[...input, '-f', 'ffmetadata', '-i', metadataPath, ...streamsOf, '-map_metadata', '1'],
              ...['-c:v', 'copy', ...audioCodec, '-movflags', 'use_metadata_tags+faststart', '-y', remuxed],
            ],
            {},
            signal,
          ),
        );
        return readFileBytes(remuxed, signal);
      },
      close: () => folder.remove(),
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function trackOf(stream: ProbedStream): VideoTrack {
  const { width = 0, height = 0, codec_name = 'an unknown codec' } = stream;
  const degrees = stream.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation;
  const isSideways = Math.abs(degrees ?? Number(stream.tags?.rotate ?? 0)) % 180 === 90;
  return {
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    framesPerSecond: ratio(stream.avg_frame_rate) || ratio(stream.r_frame_rate) || 1,
    codec: codec_name,
  };
}

/** Parses `30000/1001`. Returns 0 if the rate is unknown. */
function ratio(text = '0/0'): number {
  const [above = 0, below = 1] = text.split('/').map(Number);
  return below > 0 && above > 0 ? above / below : 0;
}

/** Converts failures of the programs to `MediaUnreadable`. */
async function describeReadFailure<T>(work: Promise<T>, path: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ProgramFailed) || isProgramOutOfSpace(error)) throw error;
    // The path of the temporary copy means nothing to the sender of the file.
    const line = error.lines.at(-1)!.replace(/^(\[[^\]]*\] )*/, '');
    const message = line.replace(`${path}: `, '').replaceAll(path, 'the file');
    throw new MediaUnreadable(
      message === 'Invalid argument' ? 'it is in no format that is read here' : message,
      {
        cause: error,
      },
    );
  }
}
