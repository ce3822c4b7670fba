import { expect, test } from 'vitest';
import {
  optionsOf as options,
  prompt,
  runVideoNode as run,
} from '#test/support/image-workflows/video-nodes.ts';
import { concatAlong } from '../../values/batches.ts';
import { withOptions } from '../../values/conditioning.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';

const at = ({ shape, data }: FloatTensor, ...place: number[]) =>
  data[place.reduce((index, part, axis) => index * shape[axis]! + part, 0)];

test('a video to follow is gray where it changes, and where it stays', async () => {
  const masks = concatAlong(0, zeros([1, 16, 32]), full([4, 16, 32], 1));
  const [positive, , latent, trim] = await run('WanVaceToVideo', {
    control_video: full([9, 16, 32, 3], 1),
    control_masks: masks,
    strength: 0.8,
  });
  expect((latent as Latent).samples.shape).toEqual([1, 16, 3, 2, 4]);
  expect(trim).toBe(0);
  const { frames, mask, strength } = options(positive).guides!.vace![0]!;
  expect(strength).toBe(0.8);
  expect(frames.shape).toEqual([1, 32, 3, 2, 4]);
  // The first frame stays, the others change.
  expect([0, 1].map((frame) => at(frames, 0, 0, frame, 0, 0))).toEqual([1, 0.5]);
  expect([0, 1].map((frame) => at(frames, 0, 16, frame, 0, 0))).toEqual([0.5, 1]);
  expect(mask.shape).toEqual([1, 64, 3, 2, 4]);
  // The nearest of nine frames to the middles of three are 1, 4 and 7.
  expect([0, 1, 2].map((frame) => at(mask, 0, 5, frame, 0, 0))).toEqual([1, 1, 1]);
});

test('pixels of a mask are channels of its cell', async () => {
  const masks = zeros([9, 16, 32]);
  for (let frame = 0; frame < 9; frame++) masks.data[(frame * 16 + 9) * 32 + 18] = 1;
  const [positive] = await run('WanVaceToVideo', { control_masks: masks, strength: 1 });
  const { mask } = options(positive).guides!.vace![0]!;
  expect(at(mask, 0, 8 + 2, 1, 1, 2)).toBe(1);
  expect(mask.data.reduce((sum, value) => sum + value, 0)).toBe(3);
});

test('a reference image comes before the video, and further videos after earlier ones', async () => {
  const [first, negative] = await run('WanVaceToVideo', { strength: 1 });
  const [positive, , latent, trim] = await run('WanVaceToVideo', {
    positive: first,
    negative,
    reference_image: full([2, 16, 32, 3], 0.25),
    strength: 1,
  });
  expect(trim).toBe(1);
  expect((latent as Latent).samples.shape).toEqual([1, 16, 4, 2, 4]);
  const { vace } = options(positive).guides!;
  expect(vace!.map(({ frames }) => frames.shape[2])).toEqual([3, 4]);
  const { frames, mask } = vace![1]!;
  expect(at(frames, 0, 0, 0, 0, 0)).toBe(0.25);
  expect(at(frames, 0, 16, 0, 0, 0)).toBeCloseTo(-0.7571, 4);
  expect([0, 1].map((frame) => at(mask, 0, 0, frame, 0, 0))).toEqual([0, 1]);
});

test('subjects follow the video in two of three prompts', async () => {
  const images = concatAlong(0, full([1, 16, 32, 3], 1), full([1, 16, 32, 3], 0.5));
  const [positive, text, imageAndText, latent] = await run('WanPhantomSubjectToVideo', { images });
  const frames = [positive, text].map((each) => options(each).guides!.following!);
  for (const each of frames) {
    expect(each.shape).toEqual([1, 16, 2, 2, 4]);
    expect([0, 1].map((frame) => at(each, 0, 0, frame, 0, 0))).toEqual([1, 0.5]);
  }
  expect(options(imageAndText).guides!.following!.data[0]).toBeCloseTo(-0.7571, 4);
  expect((latent as Latent).samples.shape).toEqual([1, 16, 3, 2, 4]);
  const [plain] = await run('WanPhantomSubjectToVideo', {});
  expect(options(plain)).toEqual({});
});

test('Wan 2.2 Fun Control has its mask between the control video and the first frame', async () => {
  const reference = zeros([1, 16, 1, 2, 4]);
  const positive = withOptions(prompt(), { references: { latents: [reference] } });
  const [changed] = await run('Wan22FunControlToVideo', {
    positive,
    control_video: full([5, 16, 32, 3], 0.25),
    ref_image: full([1, 16, 32, 3], 1),
  });
  const { inpainting, references } = options(changed);
  expect(inpainting!.latent!.shape).toEqual([1, 32, 3, 2, 4]);
  expect([0, 2].map((frame) => at(inpainting!.latent!, 0, 0, frame, 0, 0))).toEqual([
    0.25,
    Math.fround(-0.7571),
  ]);
  expect(inpainting!.mask).toEqual(full([1, 4, 3, 2, 4], 1));
  expect(inpainting!.maskIndex).toBe(16);
  expect(references!.latents!.map(({ data }) => data[0])).toEqual([0, 1]);
});

test('the first frame and the camera of a video', async () => {
  const camera = zeros([1, 24, 3, 16, 32]);
  const [positive] = await run('WanCameraImageToVideo', {
    start_image: full([1, 16, 32, 3], 1),
    camera_conditions: camera,
  });
  const { inpainting, guides } = options(positive);
  expect(guides!.camera).toBe(camera);
  expect([0, 1].map((frame) => at(inpainting!.latent!, 0, 0, frame, 0, 0))).toEqual([
    1,
    Math.fround(-0.7571),
  ]);
  expect([0, 1].map((frame) => at(inpainting!.mask!, 0, 0, frame, 0, 0))).toEqual([0, 1]);
});

test('rays of a camera: moment and direction through each pixel', async () => {
  const sizes = { width: 32, height: 18, length: 5 };
  const [still, ...rest] = await run('WanCameraEmbedding', { camera_pose: 'Static', ...sizes });
  expect(rest).toEqual([32, 18, 5]);
  const rays = still as FloatTensor;
  expect(rays.shape).toEqual([1, 24, 2, 18, 32]);
  const ray = (embedding: FloatTensor, time: number, frame: number, row: number, column: number) =>
    Array.from({ length: 6 }, (_, part) => at(embedding, 0, part * 4 + time, frame, row, column)!);
  // Half a pixel right of and below the center, with a focal length of half the sides.
  const [x, y] = [0.5 / 16, 0.5 / 9];
  const length = Math.hypot(x, y, 1);
  const expected = [0, 0, 0, x / length, y / length, 1 / length];
  for (const [index, value] of ray(rays, 3, 1, 9, 16).entries())
    expect(value).toBeCloseTo(expected[index]!, 6);
  const [moved] = await run('WanCameraEmbedding', { camera_pose: 'Pan Right', speed: 2, ...sizes });
  // Frame 4 of 5: the camera went 4/5 of the way, which is 3, to the left. Its moment is o × d.
  const [, my, mz, , dy, dz] = ray(moved as FloatTensor, 3, 1, 9, 16);
  expect([my, mz]).toEqual([expect.closeTo(2.4 * dz!, 5), expect.closeTo(-2.4 * dy!, 5)]);
  const [turned] = await run('WanCameraEmbedding', { camera_pose: 'ClockWise (CW)', ...sizes });
  const angle = -(4 / 5) * (Math.PI / 3);
  const [, , , dx] = ray(turned as FloatTensor, 3, 1, 9, 16);
  expect(dx).toBeCloseTo((Math.cos(angle) * x - Math.sin(angle) * y) / length, 5);
  expect(ray(turned as FloatTensor, 2, 0, 9, 16)[3]).toBeCloseTo(x / length, 6);
});
