/**
 * Metadata of checkpoints by the Stability AI Model Metadata Standard, version 1.0.0
 * (https://github.com/Stability-AI/ModelSpec).
 */
import type { DiffusionModel } from '../../values/diffusion-model.ts';

/** The architectures that the real system names, by the families' text encoders. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  'sdxl-l sdxl-g': 'stable-diffusion-xl-v1-base',
  'refiner-g': 'stable-diffusion-xl-v1-refiner',
  'sd3-l sd3-g sd3-t5xxl': 'stable-diffusion-v3-medium',
};

/**
 * The texts `modelspec.…` of a checkpoint.
 * @param title of the file
 */
export function modelSpec({ family, configs }: DiffusionModel, title: string): Record<string, string> {
  const architecture = ARCHITECTURES[family?.encoders.join(' ') ?? ''];
  const isEdit = architecture === 'stable-diffusion-xl-v1-base' && configs?.config.in_channels === 8;
  const isFlow = configs?.kind === 'sd3' || configs?.kind === 'flux';
  const isVelocity = configs?.scheduler.prediction_type === 'v_prediction';
  return {
    ...(architecture !== undefined && {
      'modelspec.architecture': isEdit ? 'stable-diffusion-xl-v1-edit' : architecture,
      'modelspec.sai_model_spec': '1.0.0',
      'modelspec.implementation': 'sgm',
      'modelspec.title': title,
    }),
    ...(configs && !isFlow && { 'modelspec.predict_key': isVelocity ? 'v' : 'epsilon' }),
  };
}
