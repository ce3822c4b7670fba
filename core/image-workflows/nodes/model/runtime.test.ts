import { expect, test } from 'vitest';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { zeros } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

const run = async (name: string, values: Record<string, unknown>) =>
  (await nodeTypes.find((type) => type.name === name)!.run(values, {} as NodeContext)) as unknown[];
const model = { network: {} } as unknown as DiffusionModel;

test.each([
  ['ModelComputeDtype', { dtype: 'fp16' }],
  ['TorchCompileModel', { backend: 'inductor' }],
])('%s outputs the model unchanged, and its description says so', async (name, values) => {
  expect((await run(name, { model, ...values }))[0]).toBe(model);
  expect(nodeTypes.find((type) => type.name === name)!.description).toContain('Outputs the model unchanged');
});

/** Levels of diffusers' DDPMWuerstchenScheduler (0.42.1), which has no shift. A shift multiplies them. */
const LEVELS = { 0.05: 0.08976126, 0.25: 0.42499471, 0.5: 1.01238942, 0.9: 6.3645916 };

test.each([1, 2, 4])(
  'ModelSamplingStableCascade has the levels of its schedule, with shift %d',
  async (shift) => {
    const { sampling } = (await run('ModelSamplingStableCascade', { model, shift }))[0] as DiffusionModel;
    for (const [time, level] of Object.entries(LEVELS)) {
      const expected = level * shift;
      expect(Math.abs(sampling.sigmaOf(Number(time)) / expected - 1)).toBeLessThan(1e-5);
      expect(sampling.timestepOf(level)).toBeCloseTo(Number(time), 6);
      expect(sampling.sigmaAt(1 - Number(time)) / expected).toBeCloseTo(1, 5);
    }
    expect([sampling.sigmaMin, sampling.sigmaMax]).toEqual(
      [0.01, 99.995].map((each) => expect.closeTo(each, 3)),
    );
    expect(sampling.sigmas).toHaveLength(10000);
    expect([sampling.sigmaAt(0), sampling.sigmaAt(1)]).toEqual([999999999.9, 0]);
  },
);

test('ConditioningSetAreaPercentageVideo sets an area of the image, without time', async () => {
  const conditioning: Conditioning = [{ tensor: zeros([1, 2, 3]), options: { guidance: 2 } }];
  const area = { width: 0.5, height: 0.25, x: 0.1, y: 0.2 };
  const [limited] = await run('ConditioningSetAreaPercentageVideo', {
    conditioning,
    ...area,
    temporal: 0.5,
    z: 0.5,
    strength: 0.7,
  });
  expect((limited as Conditioning)[0]!.options).toEqual({
    guidance: 2,
    region: { area: { unit: 'fraction', ...area }, strength: 0.7, areaFromMask: false },
  });
});
