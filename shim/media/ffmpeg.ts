import { basename, dirname, join } from 'node:path';
import { MediaUnavailable, type VideoCodec } from '#core/host';
import { type ProgramIo, ProgramMissing, runProgram } from './run-program.ts';
import { SharedResult } from './shared-result.ts';

/** Encoders of a codec in order of preference, as builds of ffmpeg name them. */
const ENCODERS: Record<VideoCodec | 'mp3' | 'aac', readonly string[]> = {
  h264: ['libx264', 'libopenh264', 'h264_videotoolbox', 'h264_mf'],
  vp9: ['libvpx-vp9'],
  av1: ['libsvtav1', 'libaom-av1', 'librav1e'],
  mp3: ['libmp3lame', 'libshine', 'mp3_mf'],
  aac: ['aac', 'libfdk_aac', 'aac_at', 'aac_mf'],
};

/**
 * The programs ffmpeg and ffprobe of this computer. Methods reject with `MediaUnavailable` if they are
 * missing.
 */
export class Ffmpeg {
  readonly #encoders = this.#sharedText('-hide_banner', '-encoders');
  readonly #version = this.#sharedText('-version');

  /** `setting`: a path or command instead of `ffmpeg`. */
  constructor(private readonly setting: string | undefined) {}

  get #program(): string {
    return this.setting ?? 'ffmpeg';
  }

  /** ffprobe, next to ffmpeg and with the same suffix in its name. */
  get #probe(): string {
    const { setting } = this;
    if (setting === undefined || !/^ffmpeg/i.test(basename(setting))) return 'ffprobe';
    return setting === basename(setting)
      ? setting.replace(/^ffmpeg/i, 'ffprobe')
      : join(dirname(setting), basename(setting).replace(/^ffmpeg/i, 'ffprobe'));
  }

  run(args: readonly string[], io: ProgramIo, signal: AbortSignal): Promise<void> {
    return this.#run(this.#program, ['-hide_banner', '-nostdin', '-v', 'error', ...args], io, signal);
  }

  /** Runs ffprobe and parses its JSON output. */
  async probe(args: readonly string[], signal: AbortSignal): Promise<unknown> {
    return JSON.parse(await this.#text(this.#probe, ['-v', 'error', '-of', 'json', ...args], signal));
  }

  /**
   * The first suitable encoder of this build for one of the codecs, in order. Rejects with
   * `MediaUnavailable`.
   */
  async encoder<C extends keyof typeof ENCODERS>(
    codecs: readonly C[],
    signal: AbortSignal,
    suits: (name: string) => boolean = () => true,
  ): Promise<{ codec: C; name: string }> {
    const list = await this.#encoders.get(signal);
    for (const codec of codecs)
      for (const name of ENCODERS[codec])
        if (suits(name) && new RegExp(`^ [VA]\\S* +${name} `, 'm').test(list)) return { codec, name };
    const candidates = codecs.map((codec) => ENCODERS[codec].join(', ')).join('; ');
    throw new MediaUnavailable(
      `the ffmpeg of this computer has no encoder for ${codecs.join(', ')} (${candidates}): install a fuller build of it`,
    );
  }

  /** The option that outputs each frame of the file once. It has another name before version 5.1. */
  async everyFrame(signal: AbortSignal): Promise<string[]> {
    const [, major, minor] = /version n?(\d+)\.(\d+)/.exec(await this.version(signal)) ?? [];
    const isOld = major !== undefined && (Number(major) < 5 || (major === '5' && minor === '0'));
    return isOld ? ['-vsync', '0'] : ['-fps_mode', 'passthrough'];
  }

  /** The output of `ffmpeg -version`. */
  version(signal: AbortSignal): Promise<string> {
    return this.#version.get(signal);
  }

  #sharedText(...args: string[]): SharedResult<string> {
    return new SharedResult((signal) => this.#text(this.#program, args, signal));
  }

  async #text(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
    const pieces: Uint8Array[] = [];
    await this.#run(program, args, { take: (piece) => pieces.push(piece) }, signal);
    return Buffer.concat(pieces).toString();
  }

  async #run(program: string, args: readonly string[], io: ProgramIo, signal: AbortSignal): Promise<void> {
    try {
      await runProgram([program, ...args], io, signal);
    } catch (error) {
      if (!(error instanceof ProgramMissing)) throw error;
      const named = this.setting === undefined ? 'was not found' : `could not be run (${error.message})`;
      throw new MediaUnavailable(
        `this takes the program ${basename(program)}, which ${named}: install ffmpeg (apt install ffmpeg, brew install ffmpeg, winget install ffmpeg) or name it in TABD_FFMPEG; in a browser tab it is not needed`,
        { cause: error },
      );
    }
  }
}
