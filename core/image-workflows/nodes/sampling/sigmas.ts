/** Nodes that split and change noise levels. */
import { roundHalfEven } from '../../images/rounding.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { boolean, choice, float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const tensor = (values: Iterable<number>): FloatTensor => {
  const data = Float32Array.from(values);
  return { shape: [data.length], data };
};
const shared = { category: 'sampling/custom_sampling/sigmas', module: 'comfy_extras.nodes_custom_sampler' };
const sigmas = () => link('SIGMAS', undefined);
const halves = [output('SIGMAS', 'high_sigmas'), output('SIGMAS', 'low_sigmas')];

const split = node({
  ...shared,
  name: 'SplitSigmas',
  displayName: 'SplitSigmas',
  description: 'Splits noise levels after a number of steps. Both parts contain the level between them.',
  inputs: { sigmas: sigmas(), step: int({ default: 0, min: 0, max: 10000 }) },
  outputs: halves,
  run: ({ sigmas: { data }, step }) => [tensor(data.slice(0, step + 1)), tensor(data.slice(step))],
});

const splitDenoise = node({
  ...shared,
  name: 'SplitSigmasDenoise',
  displayName: 'SplitSigmasDenoise',
  description: 'Splits noise levels so that the second part has a fraction of the steps.',
  inputs: { sigmas: sigmas(), denoise: float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 }) },
  outputs: halves,
  run({ sigmas: { data }, denoise }) {
    const lowSteps = roundHalfEven(Math.max(data.length - 1, 0) * denoise);
    const low = data.slice(Math.max(data.length - lowSteps - 1, 0));
    return [tensor(lowSteps === 0 ? [] : data.slice(0, -lowSteps)), tensor(low)];
  },
});

const flip = node({
  ...shared,
  name: 'FlipSigmas',
  displayName: 'FlipSigmas',
  description: 'Reverses noise levels to turn an image back into noise. A first level of 0 becomes 0.0001.',
  inputs: { sigmas: sigmas() },
  outputs: [output('SIGMAS')],
  run({ sigmas: { data } }) {
    const rising = data.slice().reverse();
    if (rising[0] === 0) rising[0] = 0.0001;
    return [tensor(rising)];
  },
});

const setFirst = node({
  ...shared,
  name: 'SetFirstSigma',
  displayName: 'SetFirstSigma',
  description: 'Replaces the first noise level.',
  inputs: {
    sigmas: sigmas(),
    sigma: float({ default: 136.0, min: 0.0, max: 20000.0, step: 0.001, round: false }),
  },
  outputs: [output('SIGMAS')],
  run: ({ sigmas: { data }, sigma }) => [tensor(data.length === 0 ? [] : [sigma, ...data.slice(1)])],
});

/** Positions between two levels, from 0 to 1. */
const SPACINGS = {
  linear: (way: number) => way,
  cosine: (way: number) => Math.sin((way * Math.PI) / 2),
  sine: (way: number) => 1 - Math.cos((way * Math.PI) / 2),
};

const extend = node({
  ...shared,
  name: 'ExtendIntermediateSigmas',
  displayName: 'ExtendIntermediateSigmas',
  description: 'Divides each step within a range of noise levels into several steps.',
  inputs: {
    sigmas: sigmas(),
    steps: int({ default: 2, min: 1, max: 100 }),
    start_at_sigma: float({ default: -1.0, min: -1.0, max: 20000.0, step: 0.01, round: false }),
    end_at_sigma: float({ default: 12.0, min: 0.0, max: 20000.0, step: 0.01, round: false }),
    spacing: choice(['linear', 'cosine', 'sine']),
  },
  outputs: [output('SIGMAS')],
  run({ sigmas: { data }, steps, start_at_sigma, end_at_sigma, spacing }) {
    const start = start_at_sigma < 0 ? Number.POSITIVE_INFINITY : start_at_sigma;
    const extended: number[] = [];
    for (const [index, current] of data.entries()) {
      extended.push(current);
      const next = data[index + 1];
      if (next === undefined || current > start || current < end_at_sigma) continue;
      for (let step = 1; step < steps; step++)
        extended.push(current + SPACINGS[spacing](step / steps) * (next - current));
    }
    return [tensor(extended)];
  },
});

const percentToSigma = node({
  ...shared,
  name: 'SamplingPercentToSigma',
  displayName: 'SamplingPercentToSigma',
  description:
    "Outputs the noise level of a model at a point of the sampling. The ends are beyond all levels, or the model's own with return_actual_sigma.",
  inputs: {
    model: link('MODEL'),
    sampling_percent: float({ default: 0.0, min: 0.0, max: 1.0, step: 0.0001 }),
    return_actual_sigma: boolean({ default: false }),
  },
  outputs: [output('FLOAT', 'sigma_value')],
  run({ model: { sampling }, sampling_percent, return_actual_sigma }) {
    if (return_actual_sigma && sampling_percent === 0) return [sampling.sigmaMax];
    if (return_actual_sigma && sampling_percent === 1) return [sampling.sigmaMin];
    return [sampling.sigmaAt(sampling_percent)];
  },
});

const NUMBERS = /[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?/g;

const manual = node({
  name: 'ManualSigmas',
  category: 'sampling/custom_sampling/sigmas',
  module: 'comfy_extras.nodes_custom_sampler',
  modern: true,
  experimental: true,
  description: 'Reads noise levels from a text: all numbers in it, in their order.',
  inputs: { sigmas: string({ default: '1, 0.5' }) },
  outputs: [output('SIGMAS')],
  run: ({ sigmas }) => [tensor((sigmas.match(NUMBERS) ?? []).map(Number))],
});

export const sigmaNodes: AnyNode[] = [split, splitDenoise, flip, setFirst, extend, percentToSigma, manual];
