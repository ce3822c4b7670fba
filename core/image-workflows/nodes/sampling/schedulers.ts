/** Nodes that compute schedules: the sigmas of all steps. */

import { roundHalfEven } from '../../images/rounding.ts';
import {
  exponential,
  flux2Levels,
  karras,
  laplace,
  polyexponential,
  tokenShifted,
  variancePreserving,
} from '../../sampling/schedules/formulas.ts';
import {
  ALIGNED_MODELS,
  alignYourSteps,
  OPTIMAL_MODELS,
  optimalSteps,
} from '../../sampling/schedules/optimized-steps.ts';
import { partialSchedule, SCHEDULERS } from '../../sampling/schedules/schedulers.ts';
import { beta, turbo } from '../../sampling/schedules/tabulated.ts';
import { elementCount, type FloatTensor } from '../../values/tensor.ts';
import { boolean, choice, float, type InputOptions, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, type Inputs, type NodeType, node, output } from '../kernel/node-type.ts';

const sigmasOf = (data: Float32Array): FloatTensor => ({ shape: [data.length], data });
const level = (value: number, rest: InputOptions = {}) =>
  float({ default: value, min: 0.0, max: 5000.0, step: 0.01, round: false, ...rest });
const steps = (value = 20, rest: InputOptions = {}) => int({ default: value, min: 1, max: 10000, ...rest });
const pixels = () => int({ default: 1024, min: 16, max: 16384, step: 1 });
const denoise = () => float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 });
const highest = () => level(14.614642);
const lowest = () => level(0.0291675);

const scheduler = <const I extends Inputs>(
  name: string,
  inputs: I,
  make: (values: Parameters<NodeType<I>['run']>[0]) => Float32Array,
  rest: Partial<Omit<NodeType<I>, 'run' | 'inputs'>> = {},
): AnyNode =>
  node<I>({
    name,
    displayName: name,
    category: 'sampling/custom_sampling/schedulers',
    module: 'comfy_extras.nodes_custom_sampler',
    inputs,
    outputs: [output('SIGMAS')],
    ...rest,
    run: (values) => [sigmasOf(make(values))],
  });

export const schedulerNodes: AnyNode[] = [
  scheduler(
    'BasicScheduler',
    {
      model: link('MODEL', undefined),
      scheduler: choice(Object.keys(SCHEDULERS)),
      steps: steps(),
      denoise: denoise(),
    },
    ({ model, scheduler, steps, denoise }) => partialSchedule(scheduler, model.sampling, steps, denoise),
  ),
  scheduler(
    'KarrasScheduler',
    { steps: steps(), sigma_max: highest(), sigma_min: lowest(), rho: level(7.0, { max: 100.0 }) },
    ({ steps, sigma_max, sigma_min, rho }) => karras(steps, sigma_min, sigma_max, rho),
  ),
  scheduler(
    'ExponentialScheduler',
    { steps: steps(), sigma_max: highest(), sigma_min: lowest() },
    ({ steps, sigma_max, sigma_min }) => exponential(steps, sigma_min, sigma_max),
  ),
  scheduler(
    'PolyexponentialScheduler',
    { steps: steps(), sigma_max: highest(), sigma_min: lowest(), rho: level(1.0, { max: 100.0 }) },
    ({ steps, sigma_max, sigma_min, rho }) => polyexponential(steps, sigma_min, sigma_max, rho),
  ),
  scheduler(
    'LaplaceScheduler',
    {
      steps: steps(),
      sigma_max: highest(),
      sigma_min: lowest(),
      mu: level(0.0, { min: -10.0, max: 10.0, step: 0.1 }),
      beta: level(0.5, { max: 10.0, step: 0.1 }),
    },
    ({ steps, sigma_max, sigma_min, mu, beta }) => laplace(steps, sigma_min, sigma_max, mu, beta),
  ),
  scheduler(
    'VPScheduler',
    {
      steps: steps(),
      beta_d: level(19.9),
      beta_min: level(0.1),
      eps_s: level(0.001, { max: 1.0, step: 0.0001 }),
    },
    ({ steps, beta_d, beta_min, eps_s }) => variancePreserving(steps, beta_d, beta_min, eps_s),
  ),
  scheduler(
    'BetaSamplingScheduler',
    {
      model: link('MODEL', undefined),
      steps: steps(),
      alpha: level(0.6, { max: 50.0 }),
      beta: level(0.6, { max: 50.0 }),
    },
    (values) => beta(values.model.sampling, values.steps, values.alpha, values.beta),
  ),
  scheduler(
    'SDTurboScheduler',
    {
      model: link('MODEL', undefined),
      steps: steps(1, { max: 10 }),
      denoise: float({ default: 1.0, min: 0, max: 1.0, step: 0.01 }),
    },
    ({ model, steps, denoise }) => turbo(model.sampling, steps, denoise),
  ),
  scheduler(
    'AlignYourStepsScheduler',
    { model_type: choice(ALIGNED_MODELS, { multiselect: false }), steps: steps(10), denoise: denoise() },
    ({ model_type, steps, denoise }) => alignYourSteps(model_type, steps, denoise),
    { displayName: null, module: 'comfy_extras.nodes_align_your_steps', modern: true },
  ),
  scheduler(
    'OptimalStepsScheduler',
    {
      model_type: choice(OPTIMAL_MODELS, { multiselect: false }),
      steps: steps(20, { min: 3, max: 1000 }),
      denoise: denoise(),
    },
    ({ model_type, steps, denoise }) => optimalSteps(model_type, steps, denoise),
    { displayName: null, module: 'comfy_extras.nodes_optimalsteps', modern: true },
  ),
  scheduler(
    'Flux2Scheduler',
    { steps: int({ default: 20, min: 1, max: 4096 }), width: pixels(), height: pixels() },
    ({ steps, width, height }) => flux2Levels(steps, roundHalfEven((width * height) / 16 ** 2)),
    { displayName: null, module: 'comfy_extras.nodes_flux', modern: true },
  ),
  scheduler(
    'LTXVScheduler',
    {
      steps: steps(),
      max_shift: float({ default: 2.05, min: 0.0, max: 100.0, step: 0.01 }),
      base_shift: float({ default: 0.95, min: 0.0, max: 100.0, step: 0.01 }),
      stretch: boolean({ default: true }),
      terminal: float({ default: 0.1, min: 0.0, max: 0.99, step: 0.01 }),
      latent: optional(link('LATENT')),
    },
    ({ steps, max_shift, base_shift, stretch, terminal, latent }) => {
      const tokens = latent ? elementCount(latent.samples.shape.slice(2)) : 4096;
      return tokenShifted(
        steps,
        tokens,
        { max: max_shift, base: base_shift },
        stretch ? terminal : undefined,
      );
    },
    { displayName: null, module: 'comfy_extras.nodes_lt', modern: true },
  ),
];
