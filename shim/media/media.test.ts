import { ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VideoToEncode } from '#core/host';
import { childProcesses } from '#test/support/processes/child-processes.ts';
import { Ffmpeg } from './ffmpeg.ts';
import { nodeMedia } from './media-codecs.ts';
import { ProgramFailed, ProgramMissing, runProgram } from './run-program.ts';

const { signal } = new AbortController();
const ffmpegSetting = process.env.TABD_FFMPEG;
let folder: string;
let temporary: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabd-test-media-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const video = (more: Partial<VideoToEncode> = {}): VideoToEncode => {
  const pixels = new Uint8Array(64 * 64 * 4);
  return {
    ...{ container: 'webm', codecs: ['vp9'], width: 64, height: 64, milliFramesPerSecond: 8000, frames: 4 },
    ...{ frame: (index) => pixels.fill(index), metadata: {} },
    ...more,
  };
};
const tone = { sampleRate: 8000, channels: [new Float32Array(8000)] };
const left = () => readdirSync(temporary);
/** Whether this user may mount a small file system. */
function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'tabd-test-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true });
  }
}
function writeScript(name: string, lines: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('without ffmpeg', () => {
  it('says how to install it', async () => {
    vi.stubEnv('PATH', folder);
    const media = nodeMedia(undefined, temporary);
    const works = [
      () => media.open(new Uint8Array(9), signal),
      () => media.encodeVideo(video(), signal),
      () => media.encodeMp3(tone, { bitrate: 'best', metadata: {} }, signal),
    ];
    for (const work of works) {
      const error = await work().catch((reason) => reason);
      expect(error).toMatchObject({ name: 'MediaUnavailable' });
      expect(error.message).toMatch(
        /^this takes the program ff(mpeg|probe), which was not found: install ffmpeg \(apt install ffmpeg, .* TABD_FFMPEG; in a browser tab it is not needed$/,
      );
    }
    expect(left()).toEqual([]);
    const named = nodeMedia(join(folder, 'none'), temporary).encodeVideo(video(), signal);
    await expect(named).rejects.toThrow(/the program none, which could not be run \(spawn .* ENOENT\)/);
  });
  it('finds it after an installation', async () => {
    const program = join(folder, 'ffmpeg-own');
    const media = nodeMedia(program, temporary);
    await expect(media.encodeVideo(video(), signal)).rejects.toThrow('could not be run');
    const pathOfProgram = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim();
    for (const [name, program] of [
      ['ffmpeg', pathOfProgram(ffmpegSetting ?? 'ffmpeg')],
      ['ffprobe', pathOfProgram('ffprobe')],
    ])
      writeScript(`${name}-own`, `exec ${program} "$@"`);
    const encoded = await media.encodeVideo(video(), signal);
    // The folder's own ffprobe is used too.
    vi.stubEnv('PATH', folder);
    const file = await media.open(encoded, signal);
    expect(file.video).toMatchObject({ width: 64, height: 64, framesPerSecond: 8, codec: 'vp9' });
    await file.close();
    expect(left()).toEqual([]);
  });
  it('names the encoder that a build lacks', async () => {
    const program = writeScript('ffmpeg', 'echo " V....D libvpx-vp9 VP9"');
    const media = nodeMedia(program, temporary);
    await expect(media.encodeVideo(video({ codecs: ['h264'] }), signal)).rejects.toThrow(
      /no encoder for h264 \(libx264, .*\): install a fuller build/,
    );
  });
});

describe('an interrupt', () => {
  const stopped = new Error('stopped');
  /** Aborts work when its program runs. Resolves with the error after all programs have ended. */
  async function interrupted(work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const own = new AbortController();
    const done = work(own.signal).then(
      () => 'it ended on its own',
      (error: unknown) => error,
    );
    await vi.waitFor(() => expect(running()).not.toEqual([]), { timeout: 20_000, interval: 5 });
    own.abort(stopped);
    const error = await done;
    expect(running()).toEqual([]);
    expect(left()).toEqual([]);
    return error;
  }
  // Other tests of this process may run ffmpeg at the same time, with other folders.
  const running = () => childProcesses(process.pid, temporary);

  it('ends the program that writes a video', async () => {
    const endless = video({ frames: 1e9 });
    expect(
      await interrupted((signal) => nodeMedia(ffmpegSetting, temporary).encodeVideo(endless, signal)),
    ).toBe(stopped);
  });
  it('ends the program that writes audio, and the one that reads', async () => {
    const long = {
      sampleRate: 48000,
      channels: [new Float32Array(48000 * 600), new Float32Array(48000 * 600)],
    };
    const options = { bitrate: 320_000, metadata: {} };
    expect(
      await interrupted((signal) => nodeMedia(ffmpegSetting, temporary).encodeMp3(long, options, signal)),
    ).toBe(stopped);
    const path = join(folder, 'long.mp4');
    const source = 'testsrc2=s=640x480:r=30:d=20';
    execFileSync(ffmpegSetting ?? 'ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      source,
      '-preset',
      'ultrafast',
      path,
    ]);
    const bytes = readFileSync(path);
    const read = async (signal: AbortSignal) => {
      const file = await nodeMedia(ffmpegSetting, temporary).open(bytes, new AbortController().signal);
      try {
        await file.readFrames(() => {}, signal);
      } finally {
        await file.close();
      }
    };
    expect(await interrupted(read)).toBe(stopped);
  });
  it('before the start, starts nothing', async () => {
    const aborted = AbortSignal.abort(stopped);
    for (const work of [
      () => nodeMedia(ffmpegSetting, temporary).open(new Uint8Array(9), aborted),
      () => nodeMedia(ffmpegSetting, temporary).encodeVideo(video(), aborted),
    ])
      await expect(work()).rejects.toBe(stopped);
    expect(left()).toEqual([]);
  });
});

describe('a file', () => {
  it('with too much audio ends the program', async () => {
    const path = join(folder, 'a.mp3');
    execFileSync(ffmpegSetting ?? 'ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=60:r=44100', path]);
    const file = await nodeMedia(ffmpegSetting, temporary).open(readFileSync(path), signal);
    await expect(file.readAudio(44100, signal)).rejects.toThrow(
      'its audio is longer than 44100 samples: cut it',
    );
    expect((await file.readAudio(44100 * 61, signal)).sampleRate).toBe(44100);
    await file.close();
    expect(left()).toEqual([]);
  });
  it('can be closed while its frames are read', async () => {
    const media = nodeMedia(ffmpegSetting, temporary);
    const file = await media.open(await media.encodeVideo(video(), signal), signal);
    const reason = new Error('enough');
    let taken = 0;
    const take = () => {
      if (++taken === 2) throw reason;
    };
    await expect(file.readFrames(take, signal)).rejects.toBe(reason);
    expect(taken).toBe(2);
    await file.close();
    expect(left()).toEqual([]);
  });
});

it.each(['mp3', 'aac'] as const)('parts of %s can be joined', async (format) => {
  const media = nodeMedia(ffmpegSetting, temporary);
  const channels = [Float32Array.from({ length: 24_000 }, (_, at) => Math.sin(at / 9) / 2)];
  const audio = { sampleRate: 24_000, channels };
  const part =
    format === 'mp3'
      ? await media.encodeMp3(audio, { bitrate: 96_000, metadata: {}, isPart: true }, signal)
      : await media.encodeAac(audio, 64_000, signal);
  const file = await media.open(Buffer.concat([part, part]), signal);
  const { channels: decoded } = await file.readAudio(1e6, signal);
  await file.close();
  expect(decoded[0]!.length).toBeGreaterThan(47_000);
  expect(decoded[0]!.length).toBeLessThan(56_000);
  expect(left()).toEqual([]);
});

describe('a full disk', () => {
  const full = {
    name: 'StorageFull',
    message: expect.stringMatching(/^no space left in .*: delete old output, or set TABD_HOME to a larger/),
  };
  it('is reported as such, not as a fault of the file or program', async () => {
    // This program writes ffmpeg's error message.
    const said = 'echo "[out @ 1] Error writing trailer of x.mp4: No space left on device" >&2';
    const stream = '{"codec_type":"video","codec_name":"h264"}';
    const encoders = 'echo " V....D libx264 H.264"; echo " A....D libmp3lame MP3"';
    writeScript('ffprobe', `echo '{"streams":[${stream}]}'`);
    const media = nodeMedia(
      writeScript('ffmpeg', `case "$*" in *-encoders) ${encoders};; *) ${said}; exit 1;; esac`),
      temporary,
    );
    await expect(media.encodeVideo(video({ codecs: ['h264'] }), signal)).rejects.toMatchObject(full);
    await expect(media.encodeMp3(tone, { bitrate: 'best', metadata: {} }, signal)).rejects.toMatchObject(
      full,
    );
    const file = await media.open(new Uint8Array(9), signal);
    await expect(file.asMp4({}, signal)).rejects.toMatchObject(full);
    await file.close();
    expect(left()).toEqual([]);
  });
  it.runIf(canMount())('of its own is reported, and left unchanged', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', temporary]);
    try {
      const media = nodeMedia(ffmpegSetting, temporary);
      const noise = { sampleRate: 8000, channels: [Float32Array.from({ length: 80_000 }, Math.random)] };
      const works = [
        () => media.open(new Uint8Array(2 ** 17), signal),
        () => media.encodeMp3(noise, { bitrate: 'best', metadata: {} }, signal),
        () => media.encodeVideo(video({ metadata: { long: 'x'.repeat(2 ** 17) } }), signal),
        () => media.encodeVideo(video({ codecs: ['h264'], container: 'mp4', ...noisy }), signal),
      ];
      for (const work of works) await expect(work()).rejects.toMatchObject(full);
      expect(left()).toEqual([]);
    } finally {
      execFileSync('umount', [temporary]);
    }
  });
  /** Frames of noise, which cannot be compressed. */
  const noisy = {
    ...{ width: 256, height: 256, frames: 10, quantizer: 5 },
    frame: () => Uint8Array.from({ length: 256 * 256 * 4 }, () => Math.random() * 256),
  };
});

describe("ffmpeg's version", () => {
  it('is read once, and an abort of one caller leaves the others', async () => {
    const calls = join(folder, 'calls');
    const go = join(folder, 'go');
    const wait = `echo >> ${calls}; until [ -e ${go} ]; do sleep 0.02; done; echo "ffmpeg version 7.1"`;
    const ffmpeg = new Ffmpeg(writeScript('ffmpeg', wait));
    const leaves = new AbortController();
    const stopped = new Error('stopped');
    const first = ffmpeg.version(leaves.signal);
    const second = ffmpeg.version(signal);
    await vi.waitFor(() => expect(readFileSync(calls, 'utf8')).toBe('\n'));
    leaves.abort(stopped);
    await expect(first).rejects.toBe(stopped);
    writeFileSync(go, '');
    expect(await second).toBe('ffmpeg version 7.1\n');
    expect(await ffmpeg.everyFrame(signal)).toEqual(['-fps_mode', 'passthrough']);
    expect(readFileSync(calls, 'utf8')).toBe('\n');
  });
  it('is cancelled when all callers abort, and read again later', async () => {
    const ffmpeg = new Ffmpeg(writeScript('ffmpeg', 'exec sleep 1234.5'));
    const leaves = new AbortController();
    const both = [ffmpeg.version(leaves.signal), ffmpeg.version(leaves.signal)];
    const running = () => childProcesses(process.pid, 'sleep 1234.5');
    await vi.waitFor(() => expect(running()).toHaveLength(1), { timeout: 20_000 });
    leaves.abort(new Error('stopped'));
    for (const result of both) await expect(result).rejects.toThrow('stopped');
    await vi.waitFor(() => expect(running()).toEqual([]));
    writeScript('ffmpeg', 'echo version 5.0');
    expect(await ffmpeg.everyFrame(signal)).toEqual(['-vsync', '0']);
  });
});

describe('runProgram', () => {
  it.each([
    ['EMFILE', 'no-such could not be started (spawn EMFILE): too many files are open'],
    ['ENFILE', 'no-such could not be started (spawn ENFILE): too many files are open'],
    ['EAGAIN', 'no-such could not be started (spawn EAGAIN): too much else runs'],
  ])('says what kept a program from starting: %s', async (code, message) => {
    // Without free file descriptors the program gets no pipes, and Node emits an error later.
    const own = vi
      .spyOn(ChildProcess.prototype as unknown as { spawn(): void }, 'spawn')
      .mockImplementation(function (this: unknown) {
        const error = Object.assign(new Error(`spawn ${code}`), { code });
        if (code === 'EAGAIN') throw error;
        process.nextTick(() => (this as ChildProcess).emit('error', error));
      });
    try {
      const failed = await runProgram(['no-such'], {}, signal).catch((error) => error);
      expect(failed).not.toBeInstanceOf(ProgramMissing);
      expect(failed.message).toContain(message);
    } finally {
      own.mockRestore();
    }
  });
  it('passes large input through in order', async () => {
    const pieces = Array.from({ length: 64 }, (_, index) => new Uint8Array(2 ** 16).fill(index));
    const out: Uint8Array[] = [];
    await runProgram(['cat'], { input: pieces, take: (piece) => out.push(piece) }, signal);
    expect(Buffer.concat(out).equals(Buffer.concat(pieces))).toBe(true);
  });
  it('rejects with the errors of the program, of its input, and of a missing program', async () => {
    const script = 'echo first >&2; echo last >&2; exit 3';
    const failed = await runProgram(['sh', '-c', script], {}, signal).catch((error) => error);
    expect(failed).toBeInstanceOf(ProgramFailed);
    expect(failed.message).toBe('first; last');
    await expect(runProgram(['sh', '-c', 'exit 3'], {}, signal)).rejects.toThrow('it ended with 3');
    const reason = new Error('no more');
    const input = (function* () {
      yield new Uint8Array(1);
      throw reason;
    })();
    await expect(runProgram(['sleep', '60'], { input }, signal)).rejects.toBe(reason);
    await expect(runProgram(['no-such-program'], {}, signal)).rejects.toBeInstanceOf(ProgramMissing);
  });
  it('does not wait for a program that stops reading', async () => {
    const input = (function* () {
      for (;;) yield new Uint8Array(2 ** 16);
    })();
    await runProgram(['head', '-c', '10'], { input }, signal);
  });
});
