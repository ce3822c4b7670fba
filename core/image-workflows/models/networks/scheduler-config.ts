import { continuousLevels, logarithmicTime } from '../../sampling/model-sampling/continuous.ts';
import {
  type BetaSchedule,
  sigmasOfBetas,
  stableDiffusionBetas,
  tabulatedLevels,
  zeroTerminalSnr,
} from '../../sampling/model-sampling/discrete.ts';
import { flowLevels, fluxLevels } from '../../sampling/model-sampling/flow.ts';
import {
  edmPrediction,
  flowPrediction,
  imagePrediction,
  imageToImage,
  noisePrediction,
  velocityPrediction,
} from '../../sampling/model-sampling/prediction.ts';
import type { ModelSampling } from '../../values/noise-levels.ts';
import { numberOr } from '../model-files/image-model-folder.ts';

/** The fields of `scheduler_config.json` that say how a network was trained. Those about sampling are ignored. */
export interface SchedulerConfig {
  _class_name?: unknown;
  beta_start?: unknown;
  beta_end?: unknown;
  beta_schedule?: unknown;
  num_train_timesteps?: unknown;
  prediction_type?: unknown;
  rescale_betas_zero_snr?: unknown;
  shift?: unknown;
  use_dynamic_shifting?: unknown;
  max_shift?: unknown;
  sigma_min?: unknown;
  sigma_max?: unknown;
  sigma_data?: unknown;
}

const KINDS: readonly string[] = ['linear', 'scaled_linear', 'squaredcos_cap_v2'];
const PREDICTIONS = {
  epsilon: noisePrediction,
  v_prediction: velocityPrediction,
  sample: imagePrediction,
  // Not a word of diffusers: the family of a network says so.
  image_to_image: imageToImage,
};

/**
 * @param flowTime the timestep that means pure noise to a flow network.
 * @throws for a schedule or prediction type without a formula here.
 */
export function samplingFromScheduler(config: SchedulerConfig, flowTime = 1000): ModelSampling {
  if (/^FlowMatch/.test(String(config._class_name))) {
    const levels =
      config.use_dynamic_shifting === true
        ? fluxLevels(numberOr(config.max_shift, 1.15))
        : flowLevels(numberOr(config.shift, 1), flowTime, numberOr(config.num_train_timesteps, 1000));
    return { ...flowPrediction(), ...levels };
  }
  if (/^EDM/.test(String(config._class_name))) {
    const dataSigma = numberOr(config.sigma_data, 0.5);
    const isVelocity = config.prediction_type === 'v_prediction';
    const levels = continuousLevels(
      numberOr(config.sigma_min, 0.002),
      numberOr(config.sigma_max, 80),
      logarithmicTime,
    );
    return { ...(isVelocity ? velocityPrediction(dataSigma) : edmPrediction(dataSigma)), ...levels };
  }
  const kind = config.beta_schedule ?? stableDiffusionBetas.kind;
  if (!KINDS.includes(String(kind))) throw new Error(`the model's noise schedule "${kind}" is not supported`);
  const prediction = String(config.prediction_type ?? 'epsilon');
  if (!Object.hasOwn(PREDICTIONS, prediction))
    throw new Error(`the model's prediction_type "${prediction}" is not supported`);
  const sigmas = sigmasOfBetas({
    kind: kind as BetaSchedule['kind'],
    start: numberOr(config.beta_start, stableDiffusionBetas.start),
    end: numberOr(config.beta_end, stableDiffusionBetas.end),
    steps: numberOr(config.num_train_timesteps, stableDiffusionBetas.steps),
  });
  const levels = tabulatedLevels(config.rescale_betas_zero_snr === true ? zeroTerminalSnr(sigmas) : sigmas);
  return { ...PREDICTIONS[prediction as keyof typeof PREDICTIONS](), ...levels };
}
