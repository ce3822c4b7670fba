import { describe, expect, test } from 'vitest';
import { sampleAnalytically } from '#test/support/image-workflows/analytic-sampling.ts';
import { flowLevels } from '../model-sampling/flow.ts';
import { flowPrediction } from '../model-sampling/prediction.ts';
import { exponential } from '../schedules/formulas.ts';
import { schedule } from '../schedules/schedulers.ts';
import expectedEnds from './samplers.test-table.json' with { type: 'json' };
import { SAMPLERS } from './samplers.ts';

const shape = [1, 4, 3, 2];
const sigmas = exponential(4, 0.05, 12);

describe('solvers reach the recorded latents', () => {
  test.each(Object.entries(expectedEnds))('%s', async (name, expected) => {
    const { end } = await sampleAnalytically(SAMPLERS[name]!.make(), sigmas, 11n, shape);
    expect(end.shape).toEqual(shape);
    for (const [index, value] of expected.entries()) expect(end.data[index]).toBeCloseTo(value, 4);
  });

  test('the table has every solver', () => {
    expect(Object.keys(expectedEnds)).toEqual(Object.keys(SAMPLERS));
  });
});

/** D = x / (1 + sigma^2) makes dx/dsigma = x sigma / (1 + sigma^2), whose solution is x ~ sqrt(1 + sigma^2). */
const deterministic = Object.keys(SAMPLERS).filter(
  (name) => !/ancestral|sde|cfg_pp|ddpm|lcm|seeds|sa_solver|gradient/.test(name),
);
test.each(deterministic)('%s approximates the exact solution with many steps', async (name) => {
  const fine = exponential(120, 0.05, 12).slice(0, -1);
  const { end } = await sampleAnalytically(SAMPLERS[name]!.make(), fine, 3n, shape);
  const start = await sampleAnalytically(async (x) => x, fine, 3n, shape);
  const exact = Math.sqrt((1 + 0.05 ** 2) / (1 + 12 ** 2));
  expect(end.data[0]! / start.end.data[0]!).toBeCloseTo(exact, name.startsWith('heunpp') ? 1 : 2);
});

test.each(Object.keys(SAMPLERS))(
  '%s returns finite numbers for a flow and reports each step',
  async (name) => {
    const sampling = { ...flowPrediction(), ...flowLevels(3) };
    const levels = schedule('simple', sampling, 5);
    const { end, steps, runs } = await sampleAnalytically(
      SAMPLERS[name]!.make(),
      levels,
      3n,
      shape,
      sampling,
    );
    expect([...end.data].every(Number.isFinite)).toBe(true);
    expect(steps).toEqual([...steps.keys()]);
    expect(runs).toBeGreaterThanOrEqual(name === 'dpm_fast' ? 5 : steps.length);
  },
);
