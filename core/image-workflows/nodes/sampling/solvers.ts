/** Nodes that create samplers with their settings. */
import { dpmAdaptive } from '../../sampling/samplers/dpm-solver.ts';
import { dpmpp2sAncestral } from '../../sampling/samplers/dpmpp.ts';
import { dpmpp2mSde, dpmpp3mSde, dpmppSde } from '../../sampling/samplers/dpmpp-sde.ts';
import { erSde, erSdeNoise, reverseSdeNoise } from '../../sampling/samplers/er-sde.ts';
import {
  eulerAncestral,
  eulerAncestralGuided,
  eulerGuidedAlternative,
} from '../../sampling/samplers/euler.ts';
import { lcmUpscale } from '../../sampling/samplers/lcm-upscale.ts';
import { linearMultistep } from '../../sampling/samplers/multistep.ts';
import { saSolver } from '../../sampling/samplers/sa-solver.ts';
import { SAMPLERS } from '../../sampling/samplers/samplers.ts';
import type { Sampler } from '../../values/sampler.ts';
import { anyOf, boolean, choice, float, type InputOptions, int, link } from '../kernel/inputs.ts';
import { type AnyNode, type Inputs, type NodeType, node, output } from '../kernel/node-type.ts';
import { namedSampler } from './run-sampler.ts';

const amount = (value: number, max = 100.0, rest: InputOptions = {}) =>
  float({ default: value, min: 0.0, max, step: 0.01, round: false, ...rest });
const device = () => choice(['gpu', 'cpu']);

const solver = <const I extends Inputs>(
  name: string,
  inputs: I,
  make: (values: Parameters<NodeType<I>['run']>[0]) => Sampler,
  rest: Partial<Omit<NodeType<I>, 'run' | 'inputs'>> = {},
): AnyNode =>
  node<I>({
    name,
    displayName: name,
    category: 'sampling/custom_sampling/samplers',
    module: 'comfy_extras.nodes_custom_sampler',
    inputs,
    outputs: [output('SAMPLER')],
    ...rest,
    run: (values) => [{ name, sampler: make(values) }],
  });

const named = node({
  name: 'KSamplerSelect',
  displayName: 'KSamplerSelect',
  category: 'sampling/custom_sampling/samplers',
  module: 'comfy_extras.nodes_custom_sampler',
  description: 'Selects a sampler by its name, with its default settings.',
  inputs: { sampler_name: choice(Object.keys(SAMPLERS)) },
  outputs: [output('SAMPLER')],
  run: ({ sampler_name }) => [namedSampler(sampler_name)],
});

export const solverNodes: AnyNode[] = [
  named,
  solver('SamplerEulerAncestral', { eta: amount(1), s_noise: amount(1) }, ({ eta, s_noise }) =>
    eulerAncestral({ eta, noiseScale: s_noise }),
  ),
  solver(
    'SamplerEulerAncestralCFGPP',
    { eta: amount(1, 1.0), s_noise: amount(1, 10.0) },
    ({ eta, s_noise }) => eulerAncestralGuided({ eta, noiseScale: s_noise }),
    { displayName: 'SamplerEulerAncestralCFG++' },
  ),
  solver('SamplerLMS', { order: int({ default: 4, min: 1, max: 100 }) }, ({ order }) =>
    linearMultistep({ order }),
  ),
  solver(
    'SamplerDPMPP_3M_SDE',
    { eta: amount(1), s_noise: amount(1), noise_device: device() },
    ({ eta, s_noise }) => dpmpp3mSde({ eta, noiseScale: s_noise }),
  ),
  solver(
    'SamplerDPMPP_2M_SDE',
    { solver_type: choice(['midpoint', 'heun']), eta: amount(1), s_noise: amount(1), noise_device: device() },
    ({ solver_type, eta, s_noise }) => dpmpp2mSde({ eta, noiseScale: s_noise, solver: solver_type }),
  ),
  solver(
    'SamplerDPMPP_SDE',
    { eta: amount(1), s_noise: amount(1), r: amount(0.5), noise_device: device() },
    ({ eta, s_noise, r }) => dpmppSde({ eta, noiseScale: s_noise, r }),
  ),
  solver('SamplerDPMPP_2S_Ancestral', { eta: amount(1), s_noise: amount(1) }, ({ eta, s_noise }) =>
    dpmpp2sAncestral({ eta, noiseScale: s_noise }),
  ),
  solver(
    'SamplerDPMAdaptative',
    {
      order: int({ default: 3, min: 2, max: 3 }),
      rtol: amount(0.05),
      atol: amount(0.0078),
      h_init: amount(0.05),
      pcoeff: amount(0),
      icoeff: amount(1),
      dcoeff: amount(0),
      accept_safety: amount(0.81),
      eta: amount(0),
      s_noise: amount(1),
    },
    (values) =>
      dpmAdaptive({
        order: values.order,
        relativeTolerance: values.rtol,
        absoluteTolerance: values.atol,
        firstStep: values.h_init,
        control: { p: values.pcoeff, i: values.icoeff, d: values.dcoeff },
        acceptSafety: values.accept_safety,
        eta: values.eta,
        noiseScale: values.s_noise,
      }),
  ),
  solver(
    'SamplerLCMUpscale',
    {
      scale_ratio: float({ default: 1.0, min: 0.1, max: 20.0, step: 0.01 }),
      scale_steps: int({ default: -1, min: -1, max: 1000, step: 1 }),
      upscale_method: choice(['bislerp', 'nearest-exact', 'bilinear', 'area', 'bicubic'], {
        multiselect: false,
      }),
    },
    ({ scale_ratio, scale_steps, upscale_method }) =>
      lcmUpscale({
        ratio: scale_ratio,
        method: upscale_method,
        ...(scale_steps >= 0 && { steps: scale_steps }),
      }),
    { displayName: null, module: 'comfy_extras.nodes_advanced_samplers', modern: true },
  ),
  solver(
    'SamplerER_SDE',
    {
      solver_type: anyOf('COMBO', { options: ['ER-SDE', 'Reverse-time SDE', 'ODE'] }),
      max_stage: int({ default: 3, min: 1, max: 3 }),
      eta: amount(1),
      s_noise: amount(1),
    },
    ({ solver_type, max_stage, eta, s_noise }) => {
      if (!['ER-SDE', 'Reverse-time SDE', 'ODE'].includes(String(solver_type)))
        throw new Error(`there is no solver type "${solver_type}"`);
      const isDeterministic = solver_type === 'ODE' || (solver_type === 'Reverse-time SDE' && eta === 0);
      return erSde({
        maxStage: max_stage,
        noiseScale: isDeterministic ? 0 : s_noise,
        noiseFunction: solver_type === 'ER-SDE' ? erSdeNoise : reverseSdeNoise(isDeterministic ? 0 : eta),
      });
    },
  ),
  solver(
    'SamplerSASolver',
    {
      model: link('MODEL'),
      eta: amount(1, 10.0),
      sde_start_percent: float({ default: 0.2, min: 0.0, max: 1.0, step: 0.001 }),
      sde_end_percent: float({ default: 0.8, min: 0.0, max: 1.0, step: 0.001 }),
      s_noise: amount(1),
      predictor_order: int({ default: 3, min: 1, max: 6 }),
      corrector_order: int({ default: 4, min: 0, max: 6 }),
      use_pece: boolean({}),
      simple_order_2: boolean({}),
    },
    (values) =>
      saSolver({
        eta: values.eta,
        noiseScale: values.s_noise,
        stochasticFrom: values.sde_start_percent,
        stochasticTo: values.sde_end_percent,
        predictorOrder: values.predictor_order,
        correctorOrder: values.corrector_order,
        evaluateCorrected: values.use_pece,
        simpleOrder2: values.simple_order_2,
      }),
  ),
  solver(
    'SamplerEulerCFGpp',
    { version: choice(['regular', 'alternative'], { multiselect: false }) },
    ({ version }) =>
      version === 'alternative' ? eulerGuidedAlternative() : eulerAncestralGuided({ eta: 0 }),
    {
      displayName: 'SamplerEulerCFG++',
      category: '_for_testing',
      module: 'comfy_extras.nodes_advanced_samplers',
      modern: true,
      experimental: true,
    },
  ),
];
