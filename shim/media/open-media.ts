import { writeFile } from 'node:fs/promises';
import { type MediaFile, MediaUnreadable, type VideoTrack } from '#core/host';
import { readWhole } from '../base/read-bytes.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { frameReader } from './frame-reader.ts';
import { isFull } from './full-disk.ts';
import { separated } from './interleave.ts';
import { ProgramFailed } from './run-program.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { textsFile } from './texts-file.ts';

/**
 * Formats that hold all they are in one file: others (playlists, lists of files) name addresses and files of this computer, which
 * whoever sent the file would get to see.
 */
const FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,mp3,wav,w64,flac,aac,aiff,avi,asf,flv,mpegts,mpeg,mpegvideo,h264,hevc,amr,caf,gif,webp_pipe';
const SAFE = ['-protocol_whitelist', 'file', '-format_whitelist', FORMATS];

/** Sound that MP4 files hold as it is. */
const MP4_SOUND = /^(aac|mp3|opus|flac|alac|ac3|eac3)$/;

interface Probed {
  streams?: Stream[];
}
interface Stream {
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
 * A copy of the file in a folder of its own in `parent`, which the programs read: formats with their index at the end take more than a
 * pipe.
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
    const input = [...SAFE, '-i', path];
    const readable = <T>(work: Promise<T>) => aboutFile(work, path);
    const found = (await readable(ffmpeg.probe([...SAFE, '-show_streams', path], signal))) as Probed;
    const streams = found.streams ?? [];
    const pictures = streams.find((one) => one.codec_type === 'video' && !one.disposition?.attached_pic);
    const sound = streams.find((one) => one.codec_type === 'audio');
    if (!pictures && !sound) throw new MediaUnreadable('there are no pictures and no sound in it');
    const which = pictures ? `0:${streams.indexOf(pictures)}` : '';
    return {
      ...(pictures && { video: trackOf(pictures) }),
      hasAudio: sound !== undefined,
      async readFrames(take, signal) {
        const form = ['-map', which, ...(await ffmpeg.everyFrame(signal))];
        const ppm = ['-c:v', 'ppm', '-pix_fmt', 'rgb24', '-f', 'image2pipe', 'pipe:1'];
        await readable(ffmpeg.run([...input, ...form, ...ppm], { take: frameReader(take) }, signal));
      },
      async readAudio(most, signal) {
        const { channels = 1, sample_rate = '0' } = sound ?? {};
        const pieces: Uint8Array[] = [];
        let bytes = 0;
        const take = (piece: Uint8Array) => {
          bytes += piece.length;
          if (bytes > most * 4)
            throw new MediaUnreadable(`its sound is longer than ${most} numbers: cut it into parts`);
          pieces.push(piece);
        };
        const form = ['-map', `0:${streams.indexOf(sound!)}`, '-ac', String(channels), '-ar', sample_rate];
        await readable(
          ffmpeg.run([...input, ...form, '-c:a', 'pcm_f32le', '-f', 'f32le', 'pipe:1'], { take }, signal),
        );
        return { sampleRate: Number(sample_rate), channels: separated(pieces, channels) };
      },
      async asMp4(texts, signal) {
        const [words, made] = [folder.at('texts'), folder.at('out.mp4')];
        await writeFile(words, textsFile(texts), { signal });
        const streamsOf = ['-map', which, ...(sound ? ['-map', `0:${streams.indexOf(sound)}`] : [])];
        const kept = sound && !MP4_SOUND.test(sound.codec_name ?? '') ? ['-c:a', 'aac'] : ['-c:a', 'copy'];
        await readable(
          ffmpeg.run(
            [
              ...[...input, '-f', 'ffmetadata', '-i', words, ...streamsOf, '-map_metadata', '1'],
              ...['-c:v', 'copy', ...kept, '-movflags', 'use_metadata_tags+faststart', '-y', made],
            ],
            {},
            signal,
          ),
        );
        return readWhole(made, signal);
      },
      close: () => folder.remove(),
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function trackOf(stream: Stream): VideoTrack {
  const { width = 0, height = 0, codec_name = 'an unknown codec' } = stream;
  const turned = stream.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation;
  const isOnItsSide = Math.abs(turned ?? Number(stream.tags?.rotate ?? 0)) % 180 === 90;
  return {
    width: isOnItsSide ? height : width,
    height: isOnItsSide ? width : height,
    framesPerSecond: ratio(stream.avg_frame_rate) || ratio(stream.r_frame_rate) || 1,
    codec: codec_name,
  };
}

/** `30000/1001`; 0 where it says nothing. */
function ratio(text = '0/0'): number {
  const [above = 0, below = 1] = text.split('/').map(Number);
  return below > 0 && above > 0 ? above / below : 0;
}

/** What the programs say of a file that they cannot read is about the file. */
async function aboutFile<T>(work: Promise<T>, path: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ProgramFailed) || isFull(error)) throw error;
    // Where the copy lies says nothing to whoever sent the file.
    const line = error.lines.at(-1)!.replace(/^(\[[^\]]*\] )*/, '');
    const words = line.replace(`${path}: `, '').replaceAll(path, 'the file');
    throw new MediaUnreadable(words === 'Invalid argument' ? 'it is in no format that is read here' : words, {
      cause: error,
    });
  }
}
