import { beforeEach, describe, expect, it } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import type { Pixels } from '#core/image-codecs/pixels.ts';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { encodeAnimatedWebp } from '#core/image-codecs/webp/encode.ts';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { MemoryFiles } from '#workers/host/files/memory-files.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { type FloatTensor, full, tensorOf } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext, Preview } from '../kernel/node-context.ts';

let files: MemoryFiles;
let sent: Preview[];
let progress: [number, number][];
let context: NodeContext;

beforeEach(() => {
  sent = [];
  progress = [];
  ({ files, context } = fileContext(
    { imageCodecs: nodeCodecs },
    {
      progress: async (value, max) => void progress.push([value, max]),
      sendImage: (image) => void sent.push(image),
      sendText: () => {},
      wantsPreviews: false,
      isTaken: () => false,
      languageModels: undefined,
    },
  ));
});

/** An image of one gray. */
const gray = (width: number, height: number, value: number): Pixels => ({
  width,
  height,
  channels: 3,
  data: new Uint8Array(width * height * 3).fill(value),
});

describe('LoadImageSetFromFolderNode', () => {
  const load = async (resize_method: string) => {
    const [image] = (await run('LoadImageSetFromFolderNode', {
      folder: 'set',
      resize_method,
    })) as FloatTensor[];
    return image!;
  };
  beforeEach(async () => {
    await files.write('input/set/b.png', encodePng(gray(4, 4, 255)));
    await files.write('input/set/a.png', encodePng(gray(2, 3, 51)));
    await files.write('input/set/deeper/c.png', encodePng(gray(2, 2, 0)));
    await files.write('input/set/notes.txt', new Uint8Array(1));
  });
  it('loads the images of a folder sorted by name, in the size of the first', async () => {
    await expect(load('None')).rejects.toThrow('set/b.png has 4 x 4 pixels instead of 2 x 3');
    for (const method of ['Stretch', 'Crop', 'Pad']) {
      const { shape, data } = await load(method);
      expect([shape, data[0], data.at(-1)]).toEqual([[2, 3, 2, 3], Math.fround(0.2), 1]);
    }
  });
  it('pads a smaller image with black when it crops', async () => {
    await files.write('input/set/a.png', encodePng(gray(5, 4, 51)));
    const { shape, data } = await load('Crop');
    expect([shape, data.at(-1), data.at(-4)]).toEqual([[2, 4, 5, 3], 0, 1]);
  });
  it('refuses an empty folder', async () => {
    await files.delete('input/set');
    await expect(load('None')).rejects.toThrow('no image in the folder set');
  });
});

describe('LoadImageTextSetFromFolderNode', () => {
  /** Encodes a text as its length. */
  const clip = { encode: async (text: string) => ({ tensor: full([1, 1, 1], text.length) }) };
  const load = async (values: object) => {
    const [images, prompts] = (await run('LoadImageTextSetFromFolderNode', {
      folder: 'set',
      clip,
      resize_method: 'Stretch',
      ...values,
    })) as [FloatTensor, Conditioning];
    return { shape: images.shape, prompts: prompts.map(({ tensor }) => tensor.data[0]) };
  };
  const text = (path: string, words: string) => files.write(path, new TextEncoder().encode(words));
  beforeEach(async () => {
    await files.write('input/set/a.png', encodePng(gray(2, 3, 51)));
    await text('input/set/a.txt', ' four\n');
    await files.write('input/set/2_cats/b.png', encodePng(gray(4, 4, 0)));
    await text('input/set/2_cats/b.txt', 'a cat');
    await files.write('input/set/dogs/c.png', encodePng(gray(4, 4, 0)));
    await files.write('input/set/dogs/deeper/d.png', encodePng(gray(4, 4, 0)));
  });
  it('outputs a prompt for each image, and repeats folders whose name begins with a number', async () => {
    expect(await load({})).toEqual({ shape: [4, 3, 2, 3], prompts: [4, 5, 5, 0] });
  });
  it('resizes to the requested size', async () => {
    expect((await load({ width: 6, height: -1 })).shape).toEqual([4, 3, 6, 3]);
    await expect(load({ resize_method: 'None' })).rejects.toThrow('instead of 2 x 3');
  });
  it('has another fingerprint when a caption changes', async () => {
    const digest = () => nodeType('LoadImageTextSetFromFolderNode').fingerprint!({ folder: 'set' }, context);
    const before = await digest();
    await text('input/set/2_cats/b.txt', 'a dog');
    expect(await digest()).not.toBe(before);
  });
  it('limits the number of repeated images', async () => {
    await files.write('input/set/99999999_x/a.png', encodePng(gray(1, 1, 0)));
    await expect(load({})).rejects.toThrow('more than 10000 images');
  });
});

const nodeType = (name: string) => nodeTypes.find((node) => node.name === name)!;
const run = async (name: string, values: Record<string, unknown>) => nodeType(name).run(values, context);
const rgba: Pixels = {
  width: 2,
  height: 1,
  channels: 4,
  data: Uint8Array.of(255, 0, 51, 0, 10, 20, 30, 255),
};
const image = (batch: number, value: number, channels = 3): FloatTensor =>
  tensorOf([batch, 1, 2, channels], new Float32Array(batch * 2 * channels).fill(value));
const saved = async (path: string) => decodeImage(await files.read(path), nodeCodecs);

describe('loading', () => {
  it('outputs colors, and a mask of the transparency', async () => {
    await files.write('input/sub/a.png', encodePng(rgba));
    const [loaded, mask] = (await run('LoadImage', { image: 'sub/a.png' })) as FloatTensor[];
    expect(loaded!.shape).toEqual([1, 1, 2, 3]);
    expect([...loaded!.data].map((value) => Math.round(value * 255))).toEqual([255, 0, 51, 10, 20, 30]);
    expect([mask!.shape, [...mask!.data]]).toEqual([
      [1, 1, 2],
      [1, 0],
    ]);
    const [red] = (await run('LoadImageMask', { image: 'sub/a.png', channel: 'red' })) as FloatTensor[];
    expect(red!.data[0]).toBe(1);
    const [transparency] = (await run('LoadImageMask', {
      image: 'sub/a.png',
      channel: 'alpha',
    })) as FloatTensor[];
    expect([...transparency!.data]).toEqual([1, 0]);
  });

  it('outputs a mask of 64 x 64 without alpha, and frames as a batch', async () => {
    const frame = { width: 2, height: 1, channels: 3 as const, data: new Uint8Array(6) };
    const frames = [frame, { ...frame, data: new Uint8Array(6).fill(255) }];
    await files.write(
      'output/b.webp',
      await encodeAnimatedWebp(frames, { quality: 80, lossless: true, milliseconds: 9 }, nodeCodecs),
    );
    const [loaded, mask] = (await run('LoadImage', { image: 'b.webp [output]' })) as FloatTensor[];
    expect(loaded!.shape).toEqual([2, 1, 2, 3]);
    expect(loaded!.data[6]).toBe(1);
    expect(mask!.shape).toEqual([2, 64, 64]);
    expect((await run('WebcamCapture', { image: 'b.webp [output]' })) as unknown[]).toHaveLength(1);
  });

  it('names the file that it cannot load, and the reason', async () => {
    await files.write('input/junk.png', new TextEncoder().encode('junk'));
    await expect(run('LoadImage', { image: 'junk.png' })).rejects.toThrow(
      /cannot identify image file 'junk.png': .*no PNG/,
    );
    await expect(run('LoadImage', { image: '../secret.png' })).rejects.toThrow(
      'Invalid image file: ../secret.png',
    );
  });

  it('accepts any existing file, and has a fingerprint of its bytes', async () => {
    const { validate, fingerprint } = nodeType('LoadImage');
    expect(await validate!.check({ image: 'c.png' }, context)).toBe('Invalid image file: c.png');
    await files.write('input/c.png', encodePng(rgba));
    expect(await validate!.check({ image: 'c.png' }, context)).toBe(true);
    const before = await fingerprint!({ image: 'c.png' }, context);
    await files.write('input/c.png', encodePng({ ...rgba, data: new Uint8Array(8) }));
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(await fingerprint!({ image: 'c.png' }, context)).not.toBe(before);
  });
});

describe('saving', () => {
  it('rounds down to bytes, numbers the files, and puts the graph first', async () => {
    const values = { images: image(2, 0.999), filename_prefix: 'a/x_%width%' };
    const first = (await run('SaveImage', values)) as { ui: { images: unknown[] } };
    expect(first.ui.images).toEqual([
      { filename: 'x_2_00001_.png', subfolder: 'a', type: 'output' },
      { filename: 'x_2_00002_.png', subfolder: 'a', type: 'output' },
    ]);
    await run('SaveImage', { images: image(1, Number.NaN, 4), filename_prefix: 'a/x_2' });
    const png = await saved('output/a/x_2_00001_.png');
    expect(png.frames[0]!.data[0]).toBe(254);
    expect(Object.entries(png.texts)).toEqual([
      ['prompt', '{"1": {"class_type": "X"}}'],
      ['workflow', '{"nodes": []}'],
    ]);
    expect((await saved('output/a/x_2_00003_.png')).frames[0]).toMatchObject({ channels: 4 });
  });

  it('writes previews to the temp folder', async () => {
    const { ui } = (await run('PreviewImage', { images: image(1, 2) })) as {
      ui: { images: { filename: string }[] };
    };
    expect(ui.images[0]).toMatchObject({
      type: 'temp',
      filename: expect.stringMatching(/^ComfyUI_temp_[a-z]{5}_00001_\.png$/),
    });
    expect((await saved(`temp/${ui.images[0]!.filename}`)).frames[0]!.data[0]).toBe(255);
    const mask = tensorOf([1, 1, 2], Float32Array.of(0, 1));
    const preview = (await run('MaskPreview', { mask })) as { ui: typeof ui };
    const png = await saved(`temp/${preview.ui.images[0]!.filename}`);
    expect([...png.frames[0]!.data]).toEqual([0, 0, 0, 255, 255, 255]);
  });

  it('shows one or both images of a comparison', async () => {
    const compare = async (values: Record<string, unknown>) =>
      (await run('ImageCompare', values)) as { ui: Record<string, { filename: string }[]> };
    const { ui } = await compare({ image_a: image(1, 0), image_b: image(2, 1) });
    expect([ui.a_images!.length, ui.b_images!.length]).toEqual([1, 2]);
    expect((await saved(`temp/${ui.a_images![0]!.filename}`)).frames[0]!.data[0]).toBe(0);
    expect((await saved(`temp/${ui.b_images![1]!.filename}`)).frames[0]!.data[0]).toBe(255);
    expect((await compare({ image_b: image(1, 1) })).ui.a_images).toEqual([]);
  });

  it('saves no metadata when the server saves none', async () => {
    context = { ...context, promptJson: undefined };
    await run('SaveImage', { images: image(1, 0), filename_prefix: 'n' });
    expect((await saved('output/n_00001_.png')).texts).toEqual({});
  });

  it('sends each image of a batch', async () => {
    await run('SaveImageWebsocket', { images: image(2, 0.5) });
    expect(sent.map(({ type }) => type)).toEqual(['image/png', 'image/png']);
    expect(progress).toEqual([
      [0, 2],
      [1, 2],
    ]);
    expect(await nodeType('SaveImageWebsocket').fingerprint!({}, context)).toBeUndefined();
  });

  it.each([
    ['SaveAnimatedPNG', 'png', { compress_level: 4 }],
    ['SaveAnimatedWEBP', 'webp', { lossless: true, quality: 80, method: 'fastest' }],
  ])('%s saves the frames, with the graph', async (name, extension, more) => {
    const images = tensorOf([2, 1, 2, 3], Float32Array.of(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));
    const { ui } = (await run(name, { images, filename_prefix: 'm', fps: 6, ...more })) as { ui: object };
    expect(ui).toEqual({
      images: [{ filename: `m_00001_.${extension}`, subfolder: '', type: 'output' }],
      animated: [true],
    });
    const { frames } = await saved(`output/m_00001_.${extension}`);
    expect(frames.map(({ data }) => data[0])).toEqual([0, 255]);
    const bytes = Buffer.from(await files.read(`output/m_00001_.${extension}`)).toString('latin1');
    expect(bytes).toContain('{"1": {"class_type": "X"}}');
    expect(bytes).toContain('{"nodes": []}');
  });

  it('stops between two images after an interrupt', async () => {
    context = { ...context, signal: AbortSignal.abort(new Error('interrupted')) };
    await expect(run('SaveImage', { images: image(3, 0), filename_prefix: 's' })).rejects.toThrow(
      'interrupted',
    );
  });
});
