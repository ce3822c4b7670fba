import { expect, it } from 'vitest';
import type { StoredTensor } from '#core/tensors';
import { encodeFloats } from '../../graphs/stored-floats.ts';
import { levelEmbedding } from '../../vision/noise-augmentation.ts';
import { unetImageInputs } from './unet-image-inputs.ts';

const run = { shape: [3, 4, 8, 8], seed: 0n };
const none = async () => new Uint8Array();
const near = (numbers: ArrayLike<number>) => Array.from(numbers, (value) => expect.closeTo(value, 6));

it('a video has a rate, an amount of motion and noise', async () => {
  const inputs = await unetImageInputs('video', new Map(), none);
  const usual = inputs({}, run).classLabels!;
  expect([usual.shape, [...usual.data.slice(256, 512)]]).toEqual([[1, 768], near(levelEmbedding(127, 256))]);
  const { data } = inputs({ video: { frameRate: 8, motion: 3, augmentation: 0.5 } }, run).classLabels!;
  const parts = [7, 3, 0.5].flatMap((value) => [...levelEmbedding(value, 256)]);
  expect([...data]).toEqual(near(parts));
});

it('a turning camera has a place for each frame', async () => {
  const orbit = await unetImageInputs('orbit', new Map(), none);
  const { shape, data } = orbit({ video: { elevations: [10, 20], azimuths: [0, 400] } }, run).classLabels!;
  expect(shape).toEqual([2, 1280]);
  expect([...data.slice(1280 + 256, 1280 + 768)]).toEqual(near(levelEmbedding((70 * Math.PI) / 180, 512)));
  expect([...data.slice(1280 + 768)]).toEqual(near(levelEmbedding((40 * Math.PI) / 180, 512)));
  const turntable = await unetImageInputs('turntable', new Map(), none);
  expect(turntable({}, run).classLabels!.shape).toEqual([1, 256]);
});

it('Lotus takes its task as a label', async () => {
  const { classLabels } = (await unetImageInputs('depth', new Map(), none))({}, run);
  expect([...classLabels!.data]).toEqual(near([Math.sin(1), 0, Math.cos(1), 1]));
});

it('Stable unCLIP needs the statistics of embeddings', async () => {
  const tensor = (start: number): StoredTensor => ({ file: 'x', type: 'F32', shape: [1, 2], start, end: 0 });
  const table = new Map([['noise_augmentor.data_mean', tensor(0)]]);
  const read = async ({ start }: StoredTensor) => encodeFloats(Float32Array.of(start, 2), 'F32');
  await expect(unetImageInputs('unclip', table, read)).rejects.toThrow('data_std');
  const inputs = await unetImageInputs('unclip', table.set('noise_augmentor.data_std', tensor(1)), read);
  expect(inputs({}, run).classLabels!.shape).toEqual([1, 4]);
});
