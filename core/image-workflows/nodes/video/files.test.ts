import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { amplitude, MediaTools, mediaHost, tone } from '#test/support/image-workflows/media-tools.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { type Audio, audioPlanes } from '../../audio/audio.ts';
import type { Video } from '../../values/media.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

const { signal } = new AbortController();
const tools = new MediaTools();
afterAll(() => tools.remove());

let files: MemoryFiles;
let context: NodeContext;
beforeEach(() => {
  ({ files, context } = fileContext(mediaHost));
});

const nodeType = (name: string) => nodeTypes.find((type) => type.name === name)!;
type Result = { ui: { images: { filename: string; subfolder: string }[]; animated?: boolean[] } };
const run = async <T = Result>(name: string, values: Record<string, unknown>, own = context) =>
  (await nodeType(name).run(values, own)) as T;

/** Soft colors that move, which lossy codecs hardly change. */
function movingImages(frames: number, height: number, width: number, channels = 3): FloatTensor {
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

/** Root mean square of the differences. */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(sum / a.length);
}

const probe = async (path: string) => tools.probe(path.replaceAll('/', '-'), await files.read(path));
const load = async (name: string) => (await run<[Video]>('LoadVideo', { file: name }))[0];
const saveVideo = async (input: Record<string, unknown>, own = context) =>
  (await run('SaveVideo', { filename_prefix: 'video/x', format: 'auto', codec: 'auto', ...input }, own)).ui;

describe('SaveVideo', () => {
  const images = movingImages(10, 48, 64);

  it('writes an MP4 file with images, audio and the graph', async () => {
    const audio = tone(2, 44100, 440, 880);
    const [video] = await run<[Video]>('CreateVideo', { images, fps: 12.5, audio });
    const long = { ...context, extraTexts: { workflow: `{"long": "${'x=;#\\\\n'.repeat(50_000)}"}` } };
    expect(await saveVideo({ video }, long)).toEqual({
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
    // As long as the images, up to a block of AAC.
    const [left, right] = audioPlanes(parts.audio!);
    expect(Math.abs(left!.length - 0.8 * 44100)).toBeLessThanOrEqual(1024);
    for (const [plane, hertz, other] of [
      [left!, 440, 880],
      [right!, 880, 440],
    ] as const) {
      expect(amplitude(plane, 44100, hertz)).toBeCloseTo(0.5, 1);
      expect(amplitude(plane, 44100, other)).toBeLessThan(0.02);
    }
  });

  it('writes gray images without audio, and no metadata when the server saves none', async () => {
    const [video] = await run<[Video]>('CreateVideo', {
      images: movingImages(3, 32, 32, 1),
      fps: 24,
      audio: tone(0, 8000, 440),
    });
    await saveVideo({ video, codec: 'h264', format: 'mp4' }, { ...context, promptJson: undefined });
    const { streams, format } = await probe('output/video/x_00001_.mp4');
    expect(streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
    expect(format.tags).not.toHaveProperty('prompt');
    const { images: back } = await (await load('video/x_00001_.mp4 [output]')).parts(signal);
    const expected = movingImages(3, 32, 32, 1).data;
    const first = back.data.filter((_, i) => i % 3 === 0);
    expect(distance(first, expected)).toBeLessThan(0.02);
    expect(
      distance(
        back.data.filter((_, i) => i % 3 === 2),
        first,
      ),
    ).toBeLessThan(0.01);
  });

  it('copies the images of a file without encoding them, with the current graph', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1', '-f', 'lavfi', '-i', 'sine=f=440:d=1'];
    await files.write(
      'input/a.mkv',
      tools.encode('a.mkv', ...source, '-c:v', 'libx264', '-c:a', 'libvorbis', '-metadata', 'old=1'),
    );
    await saveVideo({ video: await load('a.mkv') });
    const { streams, format } = await probe('output/video/x_00001_.mp4');
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac']);
    expect(format.tags).toMatchObject({ prompt: context.promptJson, workflow: context.extraTexts.workflow });
    expect(format.tags).not.toHaveProperty('old');
    const md5 = (name: string) =>
      execFileSync(
        'ffmpeg',
        ['-v', 'error', '-i', join(tools.folder, name), '-map', '0:v', '-f', 'md5', '-'],
        {
          encoding: 'utf8',
        },
      );
    expect(md5('output-video-x_00001_.mp4')).toBe(md5('a.mkv'));
  });

  it('encodes images again when MP4 does not allow their codec, or H.264 is requested', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=0.5'];
    await files.write('input/old.webm', tools.encode('old.webm', ...source, '-c:v', 'libvpx'));
    await saveVideo({ video: await load('old.webm') });
    expect((await probe('output/video/x_00001_.mp4')).streams).toMatchObject([
      { codec_name: 'h264', nb_frames: '5' },
    ]);
    await files.write('input/new.webm', tools.encode('new.webm', ...source, '-c:v', 'libvpx-vp9'));
    await saveVideo({ video: await load('new.webm') });
    await saveVideo({ video: await load('new.webm'), codec: 'h264' });
    expect((await probe('output/video/x_00002_.mp4')).streams).toMatchObject([{ codec_name: 'vp9' }]);
    expect((await probe('output/video/x_00003_.mp4')).streams).toMatchObject([{ codec_name: 'h264' }]);
  });

  it('says how to fix odd sides', async () => {
    const [video] = await run<[Video]>('CreateVideo', { images: movingImages(1, 5, 8), fps: 8 });
    await expect(saveVideo({ video })).rejects.toThrow(
      'even sides only, and these images are 8 x 5: crop or scale',
    );
    expect(await files.names('output/video')).toEqual([]);
  });

  it('replaces tokens of the size in the file name', async () => {
    const [video] = await run<[Video]>('CreateVideo', { images, fps: 8 });
    const { images: references } = await saveVideo({ video, filename_prefix: '%width%-%height%' });
    expect(references).toMatchObject([{ filename: '64-48_00001_.mp4', subfolder: '' }]);
  });
});

describe('SaveWEBM', () => {
  it.each([
    ['vp9', 'yuv420p'],
    ['av1', 'yuv420p'],
  ])('writes %s of any size, with the graph', async (codec, pix_fmt) => {
    const images = movingImages(6, 47, 65);
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
  it('writes smaller files with a higher crf', async () => {
    const images = movingImages(6, 128, 128);
    for (const crf of [5, 60])
      await run('SaveWEBM', { images, filename_prefix: 'w', codec: 'vp9', fps: 8, crf });
    const [fine, coarse] = await Promise.all([1, 2].map((n) => files.read(`output/w_0000${n}_.webm`)));
    expect(coarse!.length).toBeLessThan(fine!.length / 1.5);
  });
  it('writes larger AV1 files with a crf of 0', async () => {
    const images = movingImages(6, 128, 128);
    for (const crf of [0, 20])
      await run('SaveWEBM', { images, filename_prefix: 'w', codec: 'av1', fps: 8, crf });
    const [fine, coarse] = await Promise.all([1, 2].map((n) => files.read(`output/w_0000${n}_.webm`)));
    expect(fine!.length).toBeGreaterThan(coarse!.length);
  });
  it('shows no image for more than a thousand seconds', async () => {
    const images = movingImages(2, 64, 64);
    await run('SaveWEBM', { images, filename_prefix: 'w', codec: 'vp9', fps: 1e-9, crf: 30 });
    const { duration } = (await probe('output/w_00001_.webm')).format as { duration?: string };
    expect(Number(duration)).toBe(2000);
  });
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %f as fps', async (fps) => {
    const images = movingImages(2, 64, 64);
    await expect(
      run('SaveWEBM', { images, filename_prefix: 'w', codec: 'vp9', fps, crf: 30 }),
    ).rejects.toThrow(`fps must be a number such as 24, not ${fps}`);
  });
});

describe('LoadVideo', () => {
  it('lists the input folder, and accepts any file below it', async () => {
    for (const name of ['b.webm', 'a.mp4', 'c.png', 'sub/d.mp4', 'e.MOV'])
      await files.write(`input/${name}`, new Uint8Array(1));
    const { inputs, validate } = nodeType('LoadVideo');
    const choices = (inputs.file!.type as { choices: (files: unknown) => Promise<string[]> }).choices;
    expect(await choices(context.files)).toEqual(['a.mp4', 'b.webm', 'e.MOV']);
    expect(await validate!.check({ file: 'sub/d.mp4' }, context)).toBe(true);
    expect(await validate!.check({ file: '../x.mp4' }, context)).toBe('Invalid video file: ../x.mp4');
  });
  it('has another fingerprint when the file changes', async () => {
    const { fingerprint } = nodeType('LoadVideo');
    await files.write('input/a.mp4', new Uint8Array([1]));
    const before = await fingerprint!({ file: 'a.mp4' }, context);
    await files.write('input/a.mp4', new Uint8Array([2]));
    expect(await fingerprint!({ file: 'a.mp4' }, context)).not.toBe(before);
    expect(await fingerprint!({ file: 'none.mp4' }, context)).toBeUndefined();
  });
  it('rotates images as the file says, and outputs the audio', async () => {
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
    tools.encode('plain.mp4', ...source, '-c:v', 'libx264', '-c:a', 'aac');
    await files.write(
      'input/t.mp4',
      tools.encode(
        'rotated.mp4',
        '-i',
        join(tools.folder, 'plain.mp4'),
        '-c',
        'copy',
        '-metadata:s:v',
        'rotate=90',
      ),
    );
    const video = await load('t.mp4');
    expect(await video.size(signal)).toEqual({ width: 32, height: 64 });
    const [images, audio, fps] = await run<[FloatTensor, Audio, number]>('GetVideoComponents', { video });
    expect(images.shape).toEqual([8, 64, 32, 3]);
    expect(fps).toBe(8);
    expect(audio.waveform.shape.slice(0, 2)).toEqual([1, 1]);
    expect(amplitude(audioPlanes(audio)[0]!, 8000, 440)).toBeGreaterThan(0.1);
  });
  it('outputs each image once, with uneven times too', async () => {
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
    await files.write('input/u.mkv', tools.encode('u.mkv', ...uneven, '-c:v', 'libx264'));
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
    for (const work of [() => video.parts(signal), () => video.size(signal), () => saveVideo({ video })]) {
      const error = await work().then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error).toMatchObject({ name: 'MediaUnreadable' });
      expect(error!.message).toMatch(/^cannot read the video file 'bad.mp4': \w/);
      expect(error!.message).not.toContain(tmpdir());
    }
  });
  it('refuses a file that is cut off, and one without images', async () => {
    const complete = tools.encode(
      'w.mp4',
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x48:r=10:d=1',
      '-c:v',
      'libx264',
    );
    await files.write('input/cut.mp4', complete.subarray(0, complete.length / 2));
    await expect((await load('cut.mp4')).parts(signal)).rejects.toThrow(
      /cannot read the video file 'cut.mp4'/,
    );
    await files.write('input/audio.m4a', tools.encode('s.m4a', '-f', 'lavfi', '-i', 'sine=d=1'));
    await expect((await load('audio.m4a')).parts(signal)).rejects.toThrow(
      "'audio.m4a': it contains no images",
    );
  });
  it('refuses more pixels than the limit, and copies them all the same', async () => {
    const source = ['-f', 'lavfi', '-i', 'color=black:s=4096x2160:r=10:d=0.8', '-preset', 'ultrafast'];
    await files.write('input/huge.mp4', tools.encode('huge.mp4', ...source, '-c:v', 'libx264'));
    await expect((await load('huge.mp4')).parts(signal)).rejects.toThrow(
      'it has more than 7 images of 4096 x 2160, the limit of 64 million pixels in all: cut it, or make it smaller',
    );
    await saveVideo({ video: await load('huge.mp4') });
    expect((await probe('output/video/x_00001_.mp4')).streams).toMatchObject([{ nb_frames: '8' }]);
  });
});
