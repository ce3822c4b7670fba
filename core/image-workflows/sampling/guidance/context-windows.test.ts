import { describe, expect, it } from 'vitest';
import type { ContextWindows } from '../../values/context-windows.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { inWindows } from './context-windows.ts';
import type { Predict } from './prediction.ts';
import type { Region } from './regions.ts';
import { windowsAt } from './window-schedule.ts';

const windows = (values: Partial<ContextWindows> = {}): ContextWindows => ({
  axis: 2,
  length: 4,
  overlap: 2,
  schedule: 'standard_static',
  stride: 1,
  isClosed: false,
  fuse: 'flat',
  ...values,
});

describe('windows of 7 frames', () => {
  it.each([
    ['standard_static', 0, ['0123', '2345', '3456']],
    ['batched', 0, ['0123', '456']],
    ['looped_uniform', 0, ['0123', '2345', '4560']],
    // Half of 7 frames is rounded to an even number.
    ['looped_uniform', 1, ['4560', '6012', '1234']],
    ['standard_uniform', 0, ['0123', '2345', '3456']],
  ] as const)('%s at step %s', (schedule, step, expected) => {
    const all = windowsAt(windows({ schedule }), 7, step);
    expect(all.map((frames) => frames.join(''))).toEqual(expected);
  });

  it('strides leave frames out', () => {
    const strided = windows({ schedule: 'looped_uniform', stride: 2 });
    expect(windowsAt(strided, 7, 0).map((frames) => frames.join(''))).toEqual([
      '0123',
      '2345',
      '4560',
      '0246',
    ]);
  });

  it('frames that a moved window left get one of their own', () => {
    const all = windowsAt(windows({ schedule: 'standard_uniform', overlap: 1 }), 7, 1);
    for (const frames of all) expect([...frames].sort((a, b) => a - b)).toEqual(frames);
    expect(new Set(all.flat()).size).toBe(7);
  });

  it('short latents are one window', () => {
    expect(windowsAt(windows(), 3, 0)).toEqual([[0, 1, 2]]);
  });
});

/** Each window predicts its own number everywhere, and records the frames of its inputs. */
function counted() {
  const seen: FloatTensor[][] = [];
  const predict: Predict = async (lists, x) => {
    const { concat, imageInputs } = lists[0]![0]!;
    seen.push([x, concat!, imageInputs!.videoInputs!.camera!, imageInputs!.videoInputs!.vaceStrengths!]);
    return lists.map(() => ({ shape: x.shape, data: x.data.map(() => seen.length) }));
  };
  return { seen, predict };
}

const frames = (count: number): FloatTensor => ({
  shape: [1, 1, count, 1, 1],
  data: Float32Array.from({ length: count }, (_, at) => at),
});

const region = {
  concat: frames(6),
  imageInputs: { videoInputs: { camera: frames(6), vaceStrengths: zeros([2]) } },
} as unknown as Region;

describe('the result of windows', () => {
  const mix = async (values: Partial<ContextWindows>) => {
    const { seen, predict } = counted();
    const [result] = await inWindows(windows(values), predict)([[region]], frames(6), 1);
    return { seen, numbers: [...result!.data].map((value) => Number(value.toFixed(4))) };
  };

  it('inputs of frames are cut, others stay', async () => {
    const { seen } = await mix({});
    expect(seen.map(([x]) => [...x!.data].join(''))).toEqual(['0123', '2345']);
    expect(seen[1]!.slice(1, 3).map(({ data }) => [...data].join(''))).toEqual(['2345', '2345']);
    expect(seen[1]![3]!.shape).toEqual([2]);
  });

  it.each([
    ['flat', [1, 1, 1.5, 1.5, 2, 2]],
    // The weights of frames 2 and 3 are 2 and 1 in the first window, 1 and 2 in the second.
    ['pyramid', [1, 1, 1.3333, 1.6667, 2, 2]],
    ['overlap-linear', [1, 1, 1, 2, 2, 2]],
  ] as const)('%s', async (fuse, expected) => {
    expect((await mix({ fuse })).numbers).toEqual(expected);
  });

  it('relative: frames count by their distance from the middle', async () => {
    const weight = (distance: number) => Math.max(0.01, 1 - distance / ((3 + 0.01) / 2));
    const [near, far] = [weight(0.5), weight(1.5)];
    const mean = (near + 2 * far) / (near + far);
    const { numbers } = await mix({ fuse: 'relative' });
    expect(numbers[2]).toBeCloseTo(mean, 4);
    expect(numbers[3]).toBeCloseTo(3 - mean, 4);
  });

  it('entries of a batch are windows, too', async () => {
    const { predict } = counted();
    const x = { shape: [6, 1, 1, 1], data: frames(6).data };
    const [result] = await inWindows(windows({ axis: 0 }), predict)([[region]], x, 1);
    expect([...result!.data]).toEqual([1, 1, 1.5, 1.5, 2, 2]);
  });
});
