/** Gradients of a whole UNet against differences of its losses. */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { SMALL_CONTEXT, smallUnet } from '#test/support/model-files/small-unet.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { elementCount, type FloatTensor } from '../../values/tensor.ts';
import { LoraTrainer } from './lora-trainer.ts';

const SLOW = { timeout: 60_000 };
const signal = new AbortController().signal;
const host = await weightsHost('here');
let model: DiffusionModel;
beforeAll(async () => {
  model = await smallUnet(host, { depths: [1] });
});

const wave = (shape: number[], seed: number): FloatTensor => ({
  shape,
  data: Float32Array.from({ length: elementCount(shape) }, (_, at) => Math.sin(1 + 2.1 * at + seed)),
});
const input = {
  x: wave([1, 4, 6, 10], 0),
  timestep: 321,
  prompt: { tensor: wave([1, 3, SMALL_CONTEXT], 1), options: {} },
};
const goal = { target: wave([1, 4, 6, 10], 2), scale: 1.5 };
const trainerOf = () => {
  let count = 0;
  const random = () => (1 + Math.sin(++count)) / 2;
  return new LoraTrainer(model, { host, loss: 'MSE', rank: 2, random, signal });
};

test('the gradients of all kinds of layers', SLOW, async () => {
  const trainer = trainerOf();
  await trainer.accumulate(input, goal, 0);
  const { tensors } = trainer.parameters!;
  // At the start, down is zero, and so is the gradient of up.
  for (const { values } of tensors.values())
    for (let at = 0; at < values.length; at++) values[at]! += 0.05 * Math.sin(at + values.length);
  await trainer.accumulate(input, goal, 1);
  const names = [...tensors.keys()];
  expect(names.length).toBeGreaterThan(80);
  for (const [index, name] of names.entries()) {
    const { values, gradient } = tensors.get(name)!;
    const length = Math.hypot(...gradient);
    expect(length, name).toBeGreaterThan(0);
    if (index % 9 !== 0) continue;
    // The loss changes most in the direction of the gradient. Other changes are lost in its rounding.
    const old = values.slice();
    const lossAt = async (step: number) => {
      for (let at = 0; at < values.length; at++) values[at] = old[at]! + (step * gradient[at]!) / length;
      return trainer.accumulate(input, goal, 0);
    };
    const step = 0.02;
    const slope = ((await lossAt(step)) - (await lossAt(-step))) / (2 * step);
    values.set(old);
    expect(Math.abs(slope - length), `${name} ${slope} ${length}`).toBeLessThan(0.02 * length + 1e-5);
  }
  // Another size of input has a graph of its own.
  for (const { gradient } of tensors.values()) gradient.fill(0);
  await trainer.accumulate(
    { ...input, prompt: { tensor: wave([1, 5, SMALL_CONTEXT], 1), options: {} } },
    goal,
    1,
  );
  for (const [name, { gradient }] of tensors) expect(Math.hypot(...gradient), name).toBeGreaterThan(0);
});
