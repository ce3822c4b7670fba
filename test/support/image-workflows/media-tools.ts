/** Media files for tests. The ffmpeg of this machine (`apt-get install ffmpeg`) creates and inspects them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Audio, audioFromPlanes } from '#core/image-workflows/audio/audio.ts';
import { nodeMedia } from '#shim/media/media-codecs.ts';

/** The part of a host with ffmpeg as its codecs. */
export const mediaHost = { mediaCodecs: nodeMedia(process.env.TABD_FFMPEG, tmpdir()) };

/** Sine tones with amplitude 0.5, one for each channel. */
export function tone(seconds: number, sampleRate: number, ...hertz: number[]): Audio {
  const length = Math.round(seconds * sampleRate);
  const planes = hertz.map((frequency) =>
    Float32Array.from({ length }, (_, i) => 0.5 * Math.sin((i * 2 * Math.PI * frequency) / sampleRate)),
  );
  return audioFromPlanes(planes, planes.length, sampleRate);
}

/** The amplitude of a frequency in the middle half of a channel, 0 to 1. */
export function amplitude(plane: Float32Array, sampleRate: number, hertz: number): number {
  const [from, to] = [Math.floor(plane.length / 4), Math.floor((plane.length * 3) / 4)];
  let [real, imaginary] = [0, 0];
  for (let i = from; i < to; i++) {
    real += plane[i]! * Math.cos((i * 2 * Math.PI * hertz) / sampleRate);
    imaginary += plane[i]! * Math.sin((i * 2 * Math.PI * hertz) / sampleRate);
  }
  return (2 * Math.hypot(real, imaginary)) / (to - from);
}

export interface ProbeResult {
  streams: Record<string, string | number>[];
  format: { tags: Record<string, string>; format_name: string };
}

/** ffmpeg and ffprobe with a folder for their files. Call `remove` at the end. */
export class MediaTools {
  readonly folder = mkdtempSync(join(tmpdir(), 'tabd-test-media-'));

  /** Runs ffmpeg with arguments and returns the file that it writes. The file stays in the folder. */
  encode(name: string, ...args: string[]): Buffer {
    const path = join(this.folder, name);
    execFileSync('ffmpeg', ['-v', 'error', ...args, '-y', path]);
    return execFileSync('cat', [path], { maxBuffer: 2 ** 28 });
  }

  /** Writes a file to the folder and returns its streams and tags. */
  probe(name: string, bytes: Uint8Array): ProbeResult {
    const path = join(this.folder, name);
    writeFileSync(path, bytes);
    const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', path];
    return JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' }));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
