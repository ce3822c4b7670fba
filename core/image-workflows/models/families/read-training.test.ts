import { expect, test } from 'vitest';
import type { StoredTensor } from '#core/tensors';
import { encodeFloats } from '../graphs/stored-floats.ts';
import { samplingFromScheduler } from '../networks/scheduler-config.ts';
import families from './families.json' with { type: 'json' };
import { readTraining } from './read-training.ts';
import type { Family } from './recognize.ts';

const family = (name: string) => (families as unknown as Family[]).find((other) => other.name === name)!;
const sd2 = family('Stable Diffusion 2');
const sdxl = family('SDXL');

/** A file of tensors with these numbers. */
function file(tensors: Record<string, number[]>, type = 'F32') {
  const names = Object.keys(tensors);
  const table = new Map<string, StoredTensor>(
    names.map((name, start) => [
      name,
      { file: 'x', type, shape: [tensors[name]!.length], start, end: start + 1 },
    ]),
  );
  const read = async ({ start }: StoredTensor) =>
    encodeFloats(Float32Array.from(tensors[names[start]!]!), type);
  return { table, read };
}

const training = (kind: Family, { table, read }: ReturnType<typeof file>) =>
  readTraining(kind, table, table, read);

test.each([
  ['noise', 0.08, {}],
  ['the velocity', 0.1, { prediction_type: 'v_prediction' }],
])('Stable Diffusion 2 predicts %s with a spread of %d', async (_, spread, expected) => {
  for (const type of ['F32', 'F16', 'BF16']) {
    const numbers = Array.from({ length: 320 }, (_, index) => (index % 2 ? spread : -spread) + 0.5);
    expect(await training(sd2, file({ [sd2.velocityMark!.name]: numbers }, type))).toEqual(expected);
  }
});

test('Stable Diffusion 1 and inpainting models of 2 predict noise', async () => {
  for (const name of ['Stable Diffusion 1', 'Stable Diffusion 2, inpainting'])
    expect(await training(family(name), file({ [sd2.velocityMark!.name]: [-9, 9] }))).toEqual({});
});

test('marks of SDXL files', async () => {
  expect(await training(sdxl, file({}))).toEqual({});
  expect(await training(sdxl, file({ v_pred: [0] }))).toEqual({
    prediction_type: 'v_prediction',
    rescale_betas_zero_snr: false,
  });
  const zero = samplingFromScheduler(await training(sdxl, file({ v_pred: [0], ztsnr: [0] })));
  expect(zero.sigmaMax).toBeGreaterThan(4000);
  const edm = samplingFromScheduler(
    await training(sdxl, file({ 'edm_vpred.sigma_max': [120], 'edm_vpred.sigma_min': [0.01] })),
  );
  expect(edm.sigmaMin).toBeCloseTo(0.01, 6);
  expect(edm.sigmaMax).toBeCloseTo(120, 3);
  expect(edm.timestepOf(120)).toBeCloseTo(0.25 * Math.log(120), 6);
  const tensor = (value: number) => ({ shape: [1, 1], data: Float32Array.of(value) });
  // With data of spread 1 and sigma 1: x / 2 - output / sqrt(2).
  expect(edm.denoised(1, tensor(2), tensor(4)).data[0]).toBeCloseTo(2 - 2 / Math.SQRT2, 5);
});

test('Playground 2.5 has its own noise levels', async () => {
  const playground = samplingFromScheduler(await training(sdxl, file({ edm_mean: [0], edm_std: [1] })));
  expect([playground.sigmaMin, playground.sigmaMax]).toEqual([
    expect.closeTo(0.002, 6),
    expect.closeTo(80, 3),
  ]);
  const tensor = (value: number) => ({ shape: [1, 1], data: Float32Array.of(value) });
  // With data of spread 0.5 and sigma 0.5: x / 2 + 0.5 / sqrt(2) · output.
  const { data } = playground.denoised(0.5, tensor(2), tensor(4));
  expect(data[0]).toBeCloseTo(2 + Math.SQRT1_2, 6);
});
