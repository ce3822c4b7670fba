import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest';
import { nodeMedia } from '#shim/host/media/media-codecs.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { type Audio, audioFromPlanes, audioPlanes } from '../../audio/audio.ts';
import { decodeAudio } from '../../audio/decode.ts';
import type { Video } from '../../values/media.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

/** The programs of this computer: `apt-get install ffmpeg`. */
const host = { mediaCodecs: nodeMedia(process.env.TABD_FFMPEG, tmpdir()) };
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'tabd-test-video-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files: MemoryFiles;
let context: NodeContext;
beforeEach(() => {
  ({ files, context } = fileContext(host));
});

const named = (name: string) => nodeTypes.find((type) => type.name === name)!;
type Result = { ui: { images: { filename: string; subfolder: string }[]; animated?: boolean[] } };
const run = async <T = Result>(name: string, values: Record<string, unknown>, own = context) =>
  (await named(name).run(values, own)) as T;

/** Soft colours that move, so that little is lost. */
function pictures(frames: number, height: number, width: number, channels = 3): FloatTensor {
  const images = zeros([frames, height, width, channels]);
  for (let i = 0; i < images.data.length; i++) {
    const [pixel, channel] = [Math.floor(i / channels), i % channels];
    const [x, y] = [pixel % width, Math.floor(pixel / width) % height];
    const frame = Math.floor(pixel / width / height);
    images.data[i] =
      0.5 + 0.4 * Math.sin((x * (channel + 1)) / width + y / height + (frame * 6 * (channel + 1)) / frames);
  }
  return images;
}

function tone(seconds: number, sampleRate: number, ...hertz: number[]): Audio {
  const length = Math.round(seconds * sampleRate);
  const planes = hertz.map((one) =>
    Float32Array.from({ length }, (_, i) => 0.5 * Math.sin((i * 2 * Math.PI * one) / sampleRate)),
  );
  return audioFromPlanes(planes, planes.length, sampleRate);
}

/** Root mean square of the differences. */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(sum / a.length);
}

/** How strong a tone is in the middle of a sound, 0 to 1. */
function strength(plane: Float32Array, sampleRate: number, hertz: number): number {
  const [from, to] = [Math.floor(plane.length / 4), Math.floor((plane.length * 3) / 4)];
  let [real, imaginary] = [0, 0];
  for (let i = from; i < to; i++) {
    real += plane[i]! * Math.cos((i * 2 * Math.PI * hertz) / sampleRate);
    imaginary += plane[i]! * Math.sin((i * 2 * Math.PI * hertz) / sampleRate);
  }
  return (2 * Math.hypot(real, imaginary)) / (to - from);
}

interface Probed {
  streams: Record<string, string | number>[];
  format: { tags: Record<string, string>; format_name: string };
}

/** What another program says of a file that was made here. */
async function probe(path: string): Promise<Probed> {
  const place = join(folder, path.replaceAll('/', '-'));
  writeFileSync(place, await files.read(path));
  const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', place];
  return JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' }));
}

/** A file that another program made. */
function made(name: string, ...args: string[]): Buffer {
  const place = join(folder, name);
  execFileSync('ffmpeg', ['-v', 'error', ...args, '-y', place]);
  return execFileSync('cat', [place], { maxBuffer: 2 ** 28 });
}

const load = async (name: string) => (await run<[Video]>('LoadVideo', { file: name }))[0];
const saved = async (input: Record<string, unknown>, own = context) => {
  const made = await run(
    'SaveVideo',
    { filename_prefix: 'video/x', format: 'auto', codec: 'auto', ...input },
    own,
  );
  return made.ui;
};

describe('SaveVideo', () => {
  const images = pictures(10, 48, 64);

  it('makes an MP4 file with pictures, sound and the graph', async () => {
    const audio = tone(2, 44100, 440, 880);
    const [video] = await run<[Video]>('CreateVideo', { images, fps: 12.5, audio });
    const long = { ...context, extraTexts: { workflow: `{"long": "${'x=;#\\\\n'.repeat(50_000)}"}` } };
    expect(await saved({ video }, long)).toEqual({
      images: [{ filename: 'x_00001_.mp4', subfolder: 'video', type: 'output' }],
      animated: [true],
    });
    const { streams, format } = await probe('output/video/x_00001_.mp4');
    expect(streams).toMatchObject([
      {
        codec_name: 'h264',
        pix_fmt: 'yuv420p',
        width: 64,
        height: 48,
        avg_frame_rate: '25/2',
        nb_frames: '10',
        color_space: 'bt709',
      },
      { codec_name: 'aac', sample_rate: '44100', channels: 2 },
    ]);
    expect(format.tags).toMatchObject({ prompt: context.promptJson, workflow: long.extraTexts.workflow });

    const parts = await (await load('video/x_00001_.mp4 [output]')).parts(signal);
    expect(parts.images.shape).toEqual([10, 48, 64, 3]);
    expect(distance(parts.images.data, images.data)).toBeLessThan(0.02);
    expect(parts.fps).toBe(12.5);
    expect(parts.audio!.sample_rate).toBe(44100);
    // As long as the pictures, within a block of AAC.
    const [left, right] = audioPlanes(parts.audio!);
    expect(Math.abs(left!.length - 0.8 * 44100)).toBeLessThanOrEqual(1024);
    for (const [plane, hertz, other] of [
      [left!, 440, 880],
      [right!, 880, 440],
    ] as const) {
      expect(strength(plane, 44100, hertz)).toBeCloseTo(0.5, 1);
      expect(strength(plane, 44100, other)).toBeLessThan(0.02);
    }
  });

  it('makes one without sound, of grey pictures, without texts when files carry none', async () => {
    const [video] = await run<[Video]>('CreateVideo', {
      images: pictures(3, 32, 32, 1),
      fps: 24,
      audio: tone(0, 8000, 440),
    });
    await saved({ video, codec: 'h264', format: 'mp4' }, { ...context, promptJson: undefined });
    const { streams, format } = await probe('output/video/x_00001_.mp4');
    expect(streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
    expect(format.tags).not.toHaveProperty('prompt');
    const { images: back } = await (await load('video/x_00001_.mp4 [output]')).parts(signal);
    const expected = pictures(3, 32, 32, 1).data;
    const first = back.data.filter((_, i) => i % 3 === 0);
    expect(distance(first, expected)).toBeLessThan(0.02);
    expect(
      distance(
        back.data.filter((_, i) => i % 3 === 2),
        first,
      ),
    ).toBeLessThan(0.01);
  });

  it('copies the pictures of a file as they are, with the graph of now', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1', '-f', 'lavfi', '-i', 'sine=f=440:d=1'];
    await files.write(
      'input/a.mkv',
      made('a.mkv', ...source, '-c:v', 'libx264', '-c:a', 'libvorbis', '-metadata', 'old=1'),
    );
    await saved({ video: await load('a.mkv') });
    const { streams, format } = await probe('output/video/x_00001_.mp4');
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac']);
    expect(format.tags).toMatchObject({ prompt: context.promptJson, workflow: context.extraTexts.workflow });
    expect(format.tags).not.toHaveProperty('old');
    const md5 = (place: string) =>
      execFileSync('ffmpeg', ['-v', 'error', '-i', join(folder, place), '-map', '0:v', '-f', 'md5', '-'], {
        encoding: 'utf8',
      });
    expect(md5('output-video-x_00001_.mp4')).toBe(md5('a.mkv'));
  });

  it('codes pictures anew where MP4 files do not hold them, or H.264 is asked for', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=0.5'];
    await files.write('input/old.webm', made('old.webm', ...source, '-c:v', 'libvpx'));
    await saved({ video: await load('old.webm') });
    expect((await probe('output/video/x_00001_.mp4')).streams).toMatchObject([
      { codec_name: 'h264', nb_frames: '5' },
    ]);
    await files.write('input/new.webm', made('new.webm', ...source, '-c:v', 'libvpx-vp9'));
    await saved({ video: await load('new.webm') });
    await saved({ video: await load('new.webm'), codec: 'h264' });
    expect((await probe('output/video/x_00002_.mp4')).streams).toMatchObject([{ codec_name: 'vp9' }]);
    expect((await probe('output/video/x_00003_.mp4')).streams).toMatchObject([{ codec_name: 'h264' }]);
  });

  it('says what to do with odd sides', async () => {
    const [video] = await run<[Video]>('CreateVideo', { images: pictures(1, 5, 8), fps: 8 });
    await expect(saved({ video })).rejects.toThrow(
      'even sides only, and these pictures are 8 x 5: crop or scale',
    );
    expect(await files.names('output/video')).toEqual([]);
  });

  it('fills the size into the name', async () => {
    const [video] = await run<[Video]>('CreateVideo', { images, fps: 8 });
    const { images: references } = await saved({ video, filename_prefix: '%width%-%height%' });
    expect(references).toMatchObject([{ filename: '64-48_00001_.mp4', subfolder: '' }]);
  });
});

describe('SaveWEBM', () => {
  it.each([
    ['vp9', 'yuv420p'],
    ['av1', 'yuv420p'],
  ])('writes %s of any size, with the graph', async (codec, pix_fmt) => {
    const images = pictures(6, 47, 65);
    const { ui } = await run('SaveWEBM', { images, filename_prefix: 'w', codec, fps: 29.97, crf: 20 });
    expect(ui).toEqual({
      images: [{ filename: 'w_00001_.webm', subfolder: '', type: 'output' }],
      animated: [true],
    });
    const { streams, format } = await probe('output/w_00001_.webm');
    expect(streams).toMatchObject([
      { codec_name: codec, width: 65, height: 47, pix_fmt, r_frame_rate: '2997/100' },
    ]);
    expect(format.tags).toMatchObject({ PROMPT: context.promptJson, WORKFLOW: context.extraTexts.workflow });
    const parts = await (await load('w_00001_.webm [output]')).parts(signal);
    expect(parts.images.shape).toEqual([6, 47, 65, 3]);
    expect(distance(parts.images.data, images.data)).toBeLessThan(0.04);
    expect(parts.fps).toBeCloseTo(29.97, 1);
  });
  it('is coarser with a higher crf', async () => {
    const images = pictures(6, 128, 128);
    for (const crf of [5, 60])
      await run('SaveWEBM', { images, filename_prefix: 'w', codec: 'vp9', fps: 8, crf });
    const [fine, coarse] = await Promise.all([1, 2].map((n) => files.read(`output/w_0000${n}_.webm`)));
    expect(coarse!.length).toBeLessThan(fine!.length / 1.5);
  });
  it('is finest at 0, with AV1 too', async () => {
    const images = pictures(6, 128, 128);
    for (const crf of [0, 20])
      await run('SaveWEBM', { images, filename_prefix: 'w', codec: 'av1', fps: 8, crf });
    const [fine, coarse] = await Promise.all([1, 2].map((n) => files.read(`output/w_0000${n}_.webm`)));
    expect(fine!.length).toBeGreaterThan(coarse!.length);
  });
  it('shows no picture for more than a thousand seconds', async () => {
    const images = pictures(2, 64, 64);
    await run('SaveWEBM', { images, filename_prefix: 'w', codec: 'vp9', fps: 1e-9, crf: 30 });
    const { duration } = (await probe('output/w_00001_.webm')).format as { duration?: string };
    expect(Number(duration)).toBe(2000);
  });
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %f pictures a second', async (fps) => {
    const images = pictures(2, 64, 64);
    await expect(
      run('SaveWEBM', { images, filename_prefix: 'w', codec: 'vp9', fps, crf: 30 }),
    ).rejects.toThrow(`pictures a second are a number such as 24, and not ${fps}: set fps to one`);
  });
});

describe('LoadVideo', () => {
  it('lists videos, and takes any file that is there', async () => {
    for (const name of ['b.webm', 'a.mp4', 'c.png', 'sub/d.mp4', 'e.MOV'])
      await files.write(`input/${name}`, new Uint8Array(1));
    const { inputs, validate } = named('LoadVideo');
    const choices = (inputs.file!.type as { choices: (files: unknown) => Promise<string[]> }).choices;
    expect(await choices(context.files)).toEqual(['a.mp4', 'b.webm', 'e.MOV']);
    expect(await validate!.check({ file: 'sub/d.mp4' }, context)).toBe(true);
    expect(await validate!.check({ file: '../x.mp4' }, context)).toBe('Invalid video file: ../x.mp4');
  });
  it('is another one when the file is', async () => {
    const { fingerprint } = named('LoadVideo');
    await files.write('input/a.mp4', new Uint8Array([1]));
    const before = await fingerprint!({ file: 'a.mp4' }, context);
    await files.write('input/a.mp4', new Uint8Array([2]));
    expect(await fingerprint!({ file: 'a.mp4' }, context)).not.toBe(before);
    expect(await fingerprint!({ file: 'none.mp4' }, context)).toBeUndefined();
  });
  it('turns pictures as the file says, and gives the sound beside them', async () => {
    const source = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x32:r=8:d=1',
      '-f',
      'lavfi',
      '-i',
      'sine=f=440:d=1:r=8000',
    ];
    made('plain.mp4', ...source, '-c:v', 'libx264', '-c:a', 'aac');
    await files.write(
      'input/t.mp4',
      made('turned.mp4', '-i', join(folder, 'plain.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90'),
    );
    const video = await load('t.mp4');
    expect(await video.size(signal)).toEqual({ width: 32, height: 64 });
    const [images, audio, fps] = await run<[FloatTensor, Audio, number]>('GetVideoComponents', { video });
    expect(images.shape).toEqual([8, 64, 32, 3]);
    expect(fps).toBe(8);
    expect(audio.waveform.shape.slice(0, 2)).toEqual([1, 1]);
    expect(strength(audioPlanes(audio)[0]!, 8000, 440)).toBeGreaterThan(0.1);
  });
  it('gives every picture once, however uneven their times are', async () => {
    const uneven = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=32x32:r=10:d=2',
      '-vf',
      "select='not(mod(n,3))+lt(n,6)'",
      '-fps_mode',
      'vfr',
    ];
    await files.write('input/u.mkv', made('u.mkv', ...uneven, '-c:v', 'libx264'));
    expect((await (await load('u.mkv')).parts(signal)).images.shape[0]).toBe(11);
  });
  it.each([
    ['text', Buffer.from('hello'.repeat(100))],
    ['nothing', Buffer.alloc(0)],
    ['a playlist, which would name other files', Buffer.from('ffconcat version 1.0\nfile /etc/hostname\n')],
    [
      'a stream list, which would name addresses',
      Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n'),
    ],
  ])('refuses %s', async (_, bytes) => {
    await files.write('input/bad.mp4', bytes);
    const video = await load('bad.mp4');
    for (const work of [() => video.parts(signal), () => video.size(signal), () => saved({ video })]) {
      const error = await work().then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error).toMatchObject({ name: 'MediaUnreadable' });
      expect(error!.message).toMatch(/^cannot read the video file 'bad.mp4': \w/);
      expect(error!.message).not.toContain(tmpdir());
    }
  });
  it('refuses a file that is cut off, and one without pictures', async () => {
    const whole = made('w.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1', '-c:v', 'libx264');
    await files.write('input/cut.mp4', whole.subarray(0, whole.length / 2));
    await expect((await load('cut.mp4')).parts(signal)).rejects.toThrow(
      /cannot read the video file 'cut.mp4'/,
    );
    await files.write('input/sound.m4a', made('s.m4a', '-f', 'lavfi', '-i', 'sine=d=1'));
    await expect((await load('sound.m4a')).parts(signal)).rejects.toThrow(
      "'sound.m4a': there are no pictures in it",
    );
  });
  it('refuses more pixels than are read, and copies them all the same', async () => {
    const source = ['-f', 'lavfi', '-i', 'color=black:s=4096x2160:r=10:d=0.8', '-preset', 'ultrafast'];
    await files.write('input/huge.mp4', made('huge.mp4', ...source, '-c:v', 'libx264'));
    await expect((await load('huge.mp4')).parts(signal)).rejects.toThrow(
      'its pictures of 4096 x 2160 are more than the 7 that are read (64 million pixels in all): cut it, or make it smaller',
    );
    await saved({ video: await load('huge.mp4') });
    expect((await probe('output/video/x_00001_.mp4')).streams).toMatchObject([{ nb_frames: '8' }]);
  });
});

describe('sound', () => {
  const given = ['-f', 'lavfi', '-i', 'sine=f=440:d=1:r=44100', '-af', 'volume=4'];
  test.each([
    ['a.mp3', 44100],
    ['a.m4a', 44100],
    ['a.ogg', 44100],
    ['a.opus', 48000],
    ['a.mka', 44100],
    ['a.webm', 48000],
    ['a.aiff', 44100],
  ])('%s is read', async (name, rate) => {
    await files.write(`input/${name}`, made(name, ...given));
    const [sound] = await run<[Audio]>('LoadAudio', { audio: name });
    expect(sound.sample_rate).toBe(rate);
    const [plane] = audioPlanes(sound);
    expect(Math.abs(plane!.length - rate)).toBeLessThan(rate * 0.06);
    expect(strength(plane!, rate, 440)).toBeCloseTo(0.5, 1);
  });
  it('of a video is read', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1', ...given];
    await files.write('input/v.mp4', made('v.mp4', ...source));
    const [sound] = await run<[Audio]>('LoadAudio', { audio: 'v.mp4' });
    expect(strength(audioPlanes(sound)[0]!, 44100, 440)).toBeCloseTo(0.5, 1);
  });
  it.each(['V0', '128k', '320k'])('is saved as MP3 with %s, and the graph', async (quality) => {
    const audio = audioFromPlanes(
      [...audioPlanes(tone(1, 32000, 440, 880)), ...audioPlanes(tone(1, 32000, 300, 600))],
      2,
      32000,
    );
    const { ui } = await run<{ ui: unknown }>('SaveAudioMP3', { audio, filename_prefix: 'audio/m', quality });
    expect(ui).toEqual({
      audio: [1, 2].map((n) => ({ filename: `m_0000${n}_.mp3`, subfolder: 'audio', type: 'output' })),
    });
    const { streams, format } = await probe('output/audio/m_00001_.mp3');
    expect(streams).toMatchObject([{ codec_name: 'mp3', sample_rate: '32000', channels: 2 }]);
    if (quality !== 'V0') expect(streams[0]!.bit_rate).toBe(quality.replace('k', '000'));
    expect(format.tags).toMatchObject({ prompt: context.promptJson, workflow: context.extraTexts.workflow });
    const back = await decodeAudio(await files.read('output/audio/m_00002_.mp3'), signal, host.mediaCodecs);
    expect(strength(audioPlanes(back)[1]!, 32000, 600)).toBeCloseTo(0.5, 1);
  });
  it.each(['64k', '320k'])('is saved as Opus with %s, and the graph', async (quality) => {
    const audio = tone(1, 44100, 440, 880);
    const { ui } = await run<{ ui: unknown }>('SaveAudioOpus', { audio, filename_prefix: 'o', quality });
    expect(ui).toEqual({ audio: [{ filename: 'o_00001_.opus', subfolder: '', type: 'output' }] });
    const { streams, format } = await probe('output/o_00001_.opus');
    expect(streams).toMatchObject([
      {
        codec_name: 'opus',
        channels: 2,
        tags: { prompt: context.promptJson, workflow: context.extraTexts.workflow },
      },
    ]);
    expect(format.format_name).toBe('ogg');
    const back = execFileSync(
      'ffmpeg',
      ['-v', 'error', '-i', join(folder, 'output-o_00001_.opus'), '-f', 'f32le', '-'],
      {
        maxBuffer: 2 ** 28,
      },
    );
    expect(back.length).toBe(48000 * 2 * 4);
  });
  it('that begins late, as a part of a stream does, is read from its beginning', async () => {
    const whole = made('whole.opus', '-f', 'lavfi', '-i', 'sine=f=440:d=3:r=48000', '-af', 'volume=4');
    writeFileSync(join(folder, 'whole.opus'), whole);
    const part = made('part.opus', '-ss', '1', '-i', join(folder, 'whole.opus'), '-c', 'copy', '-copyts');
    const [plane] = audioPlanes(await decodeAudio(part, signal));
    const other = ['-v', 'error', '-i', join(folder, 'part.opus'), '-f', 'f32le', 'pipe:1'];
    const elsewhere = execFileSync('ffmpeg', other, { maxBuffer: 2 ** 26 });
    expect(plane!.length).toBeLessThan(48000 * 2.9);
    // Whether what the decoder gives first counts is told by nothing in such a file.
    expect(Math.abs(plane!.length - elsewhere.length / 4)).toBeLessThanOrEqual(960);
    expect(strength(plane!, 48000, 440)).toBeCloseTo(0.5, 1);
  });
});
