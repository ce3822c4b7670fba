import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VideoToEncode } from '../../../../core/host/media-codecs.ts';
import { childProcesses } from '../../../../test/support/child-processes.ts';
import { nodeMedia } from './media-codecs.ts';
import { ProgramFailed, ProgramMissing, runProgram } from './run-program.ts';

const { signal } = new AbortController();
const given = process.env.TABD_FFMPEG;
let folder: string;
let temporary: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabd-test-media-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  // Where temporary folders go.
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const video = (more: Partial<VideoToEncode> = {}): VideoToEncode => {
  const pixels = new Uint8Array(64 * 64 * 4);
  return {
    ...{ container: 'webm', codecs: ['vp9'], width: 64, height: 64, milliFramesPerSecond: 8000, frames: 4 },
    ...{ frame: (index) => pixels.fill(index), texts: {} },
    ...more,
  };
};
const tone = { sampleRate: 8000, channels: [new Float32Array(8000)] };
const left = () => readdirSync(temporary);

describe('without ffmpeg', () => {
  it('says how to get it', async () => {
    vi.stubEnv('PATH', folder);
    const media = nodeMedia(undefined);
    const works = [
      () => media.open(new Uint8Array(9), signal),
      () => media.encodeVideo(video(), signal),
      () => media.encodeMp3(tone, { bitrate: 'best', texts: {} }, signal),
    ];
    for (const work of works) {
      const error = await work().catch((reason) => reason);
      expect(error).toMatchObject({ name: 'MediaUnavailable' });
      expect(error.message).toMatch(
        /^this takes the program ff(mpeg|probe), which was not found: install ffmpeg \(apt install ffmpeg, .* TABD_FFMPEG; in a browser tab it is not needed$/,
      );
    }
    expect(left()).toEqual([]);
    const named = nodeMedia(join(folder, 'none')).encodeVideo(video(), signal);
    await expect(named).rejects.toThrow(/the program none, which could not be run \(spawn .* ENOENT\)/);
  });
  it('finds it when it has come', async () => {
    const program = join(folder, 'ffmpeg-own');
    const media = nodeMedia(program);
    await expect(media.encodeVideo(video(), signal)).rejects.toThrow('could not be run');
    const of = (name: string) => execFileSync('which', [given ?? name], { encoding: 'utf8' }).trim();
    for (const name of ['ffmpeg', 'ffprobe']) {
      writeFileSync(join(folder, `${name}-own`), `#!/bin/sh\nexec ${of(name)} "$@"\n`);
      chmodSync(join(folder, `${name}-own`), 0o755);
    }
    const made = await media.encodeVideo(video(), signal);
    // By its own ffprobe, too.
    vi.stubEnv('PATH', '/bin');
    const file = await media.open(made, signal);
    expect(file.video).toMatchObject({ width: 64, height: 64, framesPerSecond: 8, codec: 'vp9' });
    await file.close();
    expect(left()).toEqual([]);
  });
  it('names the encoder that a build lacks', async () => {
    const program = join(folder, 'ffmpeg');
    writeFileSync(program, '#!/bin/sh\necho " V....D libvpx-vp9 VP9"\n');
    chmodSync(program, 0o755);
    const media = nodeMedia(program);
    await expect(media.encodeVideo(video({ codecs: ['h264'] }), signal)).rejects.toThrow(
      /no encoder for h264 \(libx264, .*\): install a fuller build/,
    );
  });
});

describe('an interrupt', () => {
  const stopped = new Error('stopped');
  /** Ends work when its program runs; resolves with its error, once no program is left. */
  async function interrupted(work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const own = new AbortController();
    const done = work(own.signal).then(
      () => 'it ended by itself',
      (error: unknown) => error,
    );
    await vi.waitFor(() => expect(running()).not.toEqual([]), { timeout: 20_000, interval: 5 });
    own.abort(stopped);
    const error = await done;
    expect(running()).toEqual([]);
    expect(left()).toEqual([]);
    return error;
  }
  // Others of this test's process may run it at the same time, with other folders.
  const running = () => childProcesses(process.pid, temporary);

  it('ends the program that writes a video', async () => {
    const endless = video({ frames: 1e9 });
    expect(await interrupted((signal) => nodeMedia(given).encodeVideo(endless, signal))).toBe(stopped);
  });
  it('ends the one that writes sound, and the one that reads', async () => {
    const long = {
      sampleRate: 48000,
      channels: [new Float32Array(48000 * 600), new Float32Array(48000 * 600)],
    };
    const options = { bitrate: 320_000, texts: {} };
    expect(await interrupted((signal) => nodeMedia(given).encodeMp3(long, options, signal))).toBe(stopped);
    const path = join(folder, 'long.mp4');
    const source = 'testsrc2=s=640x480:r=30:d=20';
    execFileSync(given ?? 'ffmpeg', [
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
      const file = await nodeMedia(given).open(bytes, new AbortController().signal);
      try {
        await file.frames(() => {}, signal);
      } finally {
        await file.close();
      }
    };
    expect(await interrupted(read)).toBe(stopped);
  });
  it('before it begins, starts nothing', async () => {
    const aborted = AbortSignal.abort(stopped);
    for (const work of [
      () => nodeMedia(given).open(new Uint8Array(9), aborted),
      () => nodeMedia(given).encodeVideo(video(), aborted),
    ])
      await expect(work()).rejects.toBe(stopped);
    expect(left()).toEqual([]);
  });
});

describe('a file', () => {
  it('whose sound is longer than is read ends the program', async () => {
    const path = join(folder, 'a.mp3');
    execFileSync(given ?? 'ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=60:r=44100', path]);
    const file = await nodeMedia(given).open(readFileSync(path), signal);
    await expect(file.sound(44100, signal)).rejects.toThrow('its sound is longer than 44100 numbers: cut it');
    expect((await file.sound(44100 * 61, signal)).sampleRate).toBe(44100);
    await file.close();
    expect(left()).toEqual([]);
  });
  it('is closed by what takes its pictures', async () => {
    const media = nodeMedia(given);
    const file = await media.open(await media.encodeVideo(video(), signal), signal);
    const reason = new Error('enough');
    let taken = 0;
    const take = () => {
      if (++taken === 2) throw reason;
    };
    await expect(file.frames(take, signal)).rejects.toBe(reason);
    expect(taken).toBe(2);
    await file.close();
    expect(left()).toEqual([]);
  });
});

describe('runProgram', () => {
  it('gives what went in, in its order, however much it is', async () => {
    const pieces = Array.from({ length: 64 }, (_, index) => new Uint8Array(2 ** 16).fill(index));
    const out: Uint8Array[] = [];
    await runProgram(['cat'], { input: pieces, take: (piece) => out.push(piece) }, signal);
    expect(Buffer.concat(out).equals(Buffer.concat(pieces))).toBe(true);
  });
  it('rejects with what the program said, what fed it, and when there is none', async () => {
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
  it('does not wait for a program that reads no further', async () => {
    const input = (function* () {
      for (;;) yield new Uint8Array(2 ** 16);
    })();
    await runProgram(['head', '-c', '10'], { input }, signal);
  });
});
