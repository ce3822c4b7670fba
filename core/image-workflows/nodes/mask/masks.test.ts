import { expect, it } from 'vitest';
import { type FloatTensor, tensorOf } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { maskCompositingNodes } from './compositing.ts';
import { maskNodes } from './masks.ts';

const context = { signal: new AbortController().signal } as NodeContext;
const run = async (name: string, values: Record<string, unknown>): Promise<FloatTensor[]> => {
  const type = [...maskNodes, ...maskCompositingNodes].find((each) => each.name === name)!;
  return (await type.run(values, context)) as FloatTensor[];
};
const mask = (width: number, ...data: number[]): FloatTensor =>
  tensorOf([1, data.length / width, width], Float32Array.from(data));
const image = (channels: number, ...data: number[]): FloatTensor =>
  tensorOf([1, 1, data.length / channels, channels], Float32Array.from(data));
const numbers = ({ data }: FloatTensor) => [...data].map((value) => Number(value.toFixed(4)));

it.each([
  ['InvertMask', { mask: mask(2, 0, 0.25) }, [1, 0.75]],
  ['ThresholdMask', { mask: mask(3, 0.4, 0.5, 0.6), value: 0.5 }, [0, 0, 1]],
  ['SolidMask', { value: 0.5, width: 2, height: 1 }, [0.5, 0.5]],
  ['CropMask', { mask: mask(3, 1, 2, 3, 4, 5, 6), x: 1, y: 0, width: 2, height: 2 }, [2, 3, 5, 6]],
  ['FeatherMask', { mask: mask(4, 1, 1, 1, 1), left: 2, top: 0, right: 0, bottom: 0 }, [0.5, 1, 1, 1]],
  [
    'MaskComposite',
    { destination: mask(3, 1, 1, 1), source: mask(2, 1, 0.4), x: 1, y: 0, operation: 'subtract' },
    [1, 0, 0.6],
  ],
  [
    'GrowMask',
    { mask: mask(3, 0, 0, 0, 0, 1, 0, 0, 0, 0), expand: 1, tapered_corners: true },
    [0, 1, 0, 1, 1, 1, 0, 1, 0],
  ],
  ['ImageToMask', { image: image(4, 0, 0, 0, 0.5), channel: 'alpha' }, [0.5]],
  ['ImageColorToMask', { image: image(3, 1, 0, 0, 1, 0.1, 0), color: 0xff0000 }, [1, 0]],
  ['MaskToImage', { mask: mask(2, 0.25, 1) }, [0.25, 0.25, 0.25, 1, 1, 1]],
])('%s (%#)', async (name, values, expected) => {
  expect(numbers((await run(name, values))[0]!)).toEqual(expected);
});

it('a mask of transparency becomes alpha, and alpha becomes that mask', async () => {
  const colors = image(3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6);
  const [joined] = await run('JoinImageWithAlpha', { image: colors, alpha: mask(2, 0, 0.75) });
  expect(numbers(joined!)).toEqual([0.1, 0.2, 0.3, 1, 0.4, 0.5, 0.6, 0.25]);
  const [split, transparency] = await run('SplitImageWithAlpha', { image: joined });
  expect(split).toEqual(colors);
  expect(numbers(transparency!)).toEqual([0, 0.75]);
  expect(numbers((await run('SplitImageWithAlpha', { image: colors }))[1]!)).toEqual([0, 0]);
});

it('Porter-Duff inputs and outputs are transparency: a transparent source lets the destination through', async () => {
  const [colors, transparency] = await run('PorterDuffImageComposite', {
    source: image(3, 1, 0, 0, 1, 0, 0),
    source_alpha: mask(2, 0, 1),
    destination: image(3, 0, 0, 1, 0, 0, 1),
    destination_alpha: mask(2, 0, 0),
    mode: 'SRC_OVER',
  });
  expect(numbers(colors!)).toEqual([1, 0, 0, 0, 0, 1]);
  expect(numbers(transparency!)).toEqual([0, 0]);
});
