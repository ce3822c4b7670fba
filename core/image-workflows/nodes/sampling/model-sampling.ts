/** Nodes that set how a model measures noise, and what it predicts. */
import { cascadeLevels } from '../../sampling/model-sampling/cascade.ts';
import {
  angularTime,
  continuousLevels,
  flowTime,
  logarithmicTime,
} from '../../sampling/model-sampling/continuous.ts';
import {
  distilledLevels,
  sigmasOfBetas,
  stableDiffusionBetas,
  tabulatedLevels,
  zeroTerminalSnr,
} from '../../sampling/model-sampling/discrete.ts';
import { flowLevels, fluxLevels, fluxShift } from '../../sampling/model-sampling/flow.ts';
import {
  consistencyPrediction,
  cosmosFlowPrediction,
  edmPrediction,
  flowPrediction,
  imagePrediction,
  imageToImage,
  noisePrediction,
  velocityPrediction,
} from '../../sampling/model-sampling/prediction.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { JsonConfig } from '../../values/model-graph.ts';
import type { ModelSampling } from '../../values/noise-levels.ts';
import { elementCount } from '../../values/tensor.ts';
import { boolean, choice, float, type InputOptions, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = {
  category: 'advanced/model',
  module: 'comfy_extras.nodes_model_advanced',
  outputs: [output('MODEL')],
} as const;
const model = () => link('MODEL', undefined);
const shift = (value: number) => float({ default: value, min: 0.0, max: 100.0, step: 0.01 });
const level = (value: number, rest: InputOptions = {}) =>
  float({ default: value, min: 0.0, max: 1000.0, step: 0.001, round: false, ...rest });

const PREDICTIONS = {
  eps: noisePrediction,
  v_prediction: velocityPrediction,
  x0: imagePrediction,
  img_to_img: imageToImage,
};

/** The scheduler settings that a saved model gets. */
const withSchedulerConfig = (model: DiffusionModel, changes: JsonConfig): Pick<DiffusionModel, 'configs'> =>
  model.configs
    ? { configs: { ...model.configs, scheduler: { ...model.configs.scheduler, ...changes } } }
    : {};

/** The model with Stable Diffusion's table of noise levels. */
export const withNoiseTable = (
  model: DiffusionModel,
  kind: keyof typeof PREDICTIONS | 'lcm',
  zeroSnr: boolean,
): DiffusionModel => ({
  ...model,
  sampling: discreteSampling(kind, zeroSnr),
  ...withSchedulerConfig(model, schedulerConfig(kind, zeroSnr)),
});

function discreteSampling(kind: keyof typeof PREDICTIONS | 'lcm', zeroSnr: boolean): ModelSampling {
  const trained = sigmasOfBetas(stableDiffusionBetas);
  const sigmas = zeroSnr ? zeroTerminalSnr(trained) : trained;
  if (kind !== 'lcm') return { ...PREDICTIONS[kind](), ...tabulatedLevels(sigmas) };
  const levels = distilledLevels(sigmas);
  return { ...consistencyPrediction(levels), ...levels };
}

/** `prediction_type` of diffusers for each kind of prediction. */
const PREDICTION_TYPES = { eps: 'epsilon', v_prediction: 'v_prediction', x0: 'sample' } as const;

/**
 * Scheduler settings as model files contain them. `lcm` and `img_to_img` have none, because models are not trained with
 * them.
 */
function schedulerConfig(kind: keyof typeof PREDICTIONS | 'lcm', zeroSnr: boolean): JsonConfig {
  if (kind === 'lcm' || kind === 'img_to_img') return {};
  const { kind: schedule, start, end, steps } = stableDiffusionBetas;
  return {
    beta_schedule: schedule,
    beta_start: start,
    beta_end: end,
    num_train_timesteps: steps,
    prediction_type: PREDICTION_TYPES[kind],
    rescale_betas_zero_snr: zeroSnr,
  };
}

const modelSamplingDiscrete = node({
  ...shared,
  name: 'ModelSamplingDiscrete',
  displayName: 'ModelSamplingDiscrete',
  description:
    'Sets what a model with a table of noise levels predicts. zsnr makes the highest level pure noise.',
  inputs: {
    model: model(),
    sampling: choice(['eps', 'v_prediction', 'lcm', 'x0', 'img_to_img']),
    zsnr: boolean({ default: false }),
  },
  run: ({ model, sampling, zsnr }) => [withNoiseTable(model, sampling, zsnr)],
});

const modelSamplingContinuousEdm = node({
  ...shared,
  name: 'ModelSamplingContinuousEDM',
  displayName: 'ModelSamplingContinuousEDM',
  description:
    'For models with continuous noise levels, which receive a quarter of the logarithm of the level.',
  inputs: {
    model: model(),
    sampling: choice(['v_prediction', 'edm', 'edm_playground_v2.5', 'eps', 'cosmos_rflow']),
    sigma_max: level(120.0),
    sigma_min: level(0.002),
  },
  run({ model, sampling, sigma_max, sigma_min }) {
    const predictions = {
      v_prediction: () => velocityPrediction(),
      edm: () => edmPrediction(0.5),
      eps: () => noisePrediction(),
      cosmos_rflow: () => cosmosFlowPrediction(),
    };
    if (sampling === 'edm_playground_v2.5')
      throw new Error(`models of the kind ${sampling} are not supported: choose another sampling`);
    const time = sampling === 'cosmos_rflow' ? flowTime : logarithmicTime;
    const levels = continuousLevels(sigma_min, sigma_max, time);
    return [{ ...model, sampling: { ...predictions[sampling](), ...levels } }];
  },
});

const modelSamplingContinuousV = node({
  ...shared,
  name: 'ModelSamplingContinuousV',
  displayName: 'ModelSamplingContinuousV',
  description:
    'For models with continuous noise levels, which receive the level as an angle and predict a velocity.',
  inputs: {
    model: model(),
    sampling: choice(['v_prediction']),
    sigma_max: level(500.0),
    sigma_min: level(0.03),
  },
  run: ({ model, sigma_max, sigma_min }) => [
    {
      ...model,
      sampling: { ...velocityPrediction(), ...continuousLevels(sigma_min, sigma_max, angularTime) },
    },
  ],
});

const modelSamplingSd3 = node({
  ...shared,
  name: 'ModelSamplingSD3',
  displayName: 'ModelSamplingSD3',
  description: 'Sets the shift of a flow model: a higher shift spends more steps at high noise.',
  inputs: { model: model(), shift: shift(3.0) },
  run: ({ model, shift }) => [
    {
      ...model,
      sampling: { ...flowPrediction(), ...flowLevels(shift) },
      ...withSchedulerConfig(model, { shift, use_dynamic_shifting: false }),
    },
  ],
});

const modelSamplingAuraFlow = node({
  ...shared,
  name: 'ModelSamplingAuraFlow',
  displayName: 'ModelSamplingAuraFlow',
  description: 'Sets the shift of a flow model whose time runs from 0 to 1.',
  inputs: { model: model(), shift: shift(1.73) },
  run: ({ model, shift }) => [{ ...model, sampling: { ...flowPrediction(), ...flowLevels(shift, 1) } }],
});

const modelSamplingFlux = node({
  ...shared,
  name: 'ModelSamplingFlux',
  displayName: 'ModelSamplingFlux',
  description: 'Sets the shift of a Flux model for images of this size.',
  inputs: {
    model: model(),
    max_shift: shift(1.15),
    base_shift: shift(0.5),
    width: int({ default: 1024, min: 16, max: 16384, step: 8 }),
    height: int({ default: 1024, min: 16, max: 16384, step: 8 }),
  },
  run: ({ model, max_shift, base_shift, width, height }) => [
    {
      ...model,
      sampling: { ...flowPrediction(), ...fluxLevels(fluxShift(base_shift, max_shift, width, height)) },
    },
  ],
});

const modelSamplingLtxv = node({
  name: 'ModelSamplingLTXV',
  category: 'advanced/model',
  module: 'comfy_extras.nodes_lt',
  modern: true,
  description: 'Sets the shift of a flow model by the number of cells of a latent.',
  inputs: {
    model: link('MODEL'),
    max_shift: shift(2.05),
    base_shift: shift(0.95),
    latent: optional(link('LATENT')),
  },
  outputs: [output('MODEL')],
  run({ model, max_shift, base_shift, latent }) {
    const cells = latent ? elementCount(latent.samples.shape.slice(2)) : 4096;
    const slope = (max_shift - base_shift) / (4096 - 1024);
    const levels = fluxLevels(cells * slope + base_shift - slope * 1024);
    return [{ ...model, sampling: { ...flowPrediction(), ...levels } }];
  },
});

const modelSamplingStableCascade = node({
  ...shared,
  name: 'ModelSamplingStableCascade',
  displayName: 'ModelSamplingStableCascade',
  description: 'Sets the cosine schedule of Stable Cascade: a higher shift spends more steps at high noise.',
  inputs: { model: model(), shift: shift(2.0) },
  run: ({ model, shift }) => [{ ...model, sampling: { ...noisePrediction(), ...cascadeLevels(shift) } }],
});

export const modelSamplingNodes: AnyNode[] = [
  modelSamplingStableCascade,
  modelSamplingLtxv,
  modelSamplingDiscrete,
  modelSamplingContinuousEdm,
  modelSamplingContinuousV,
  modelSamplingSd3,
  modelSamplingAuraFlow,
  modelSamplingFlux,
];
