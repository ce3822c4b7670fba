/** Reads how a network was trained: its prediction and its noise levels, as far as the file shows them. */
import type { StoredTensor } from '#core/tensors';
import { decodeFloats } from '../graphs/stored-floats.ts';
import type { SchedulerConfig } from '../networks/scheduler-config.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';
import type { Family } from './recognize.ts';

/** Playground 2.5: SDXL with other noise levels and latents (Li et al., 2024, section 2.1; its published configuration). */
export const PLAYGROUND = {
  scheduler: { _class_name: 'EDMEulerScheduler', sigma_data: 0.5, sigma_min: 0.002, sigma_max: 80 },
  vae: {
    scaling_factor: 0.5,
    latents_mean: [-1.6574, 1.886, -1.383, 2.5155],
    latents_std: [8.4927, 5.9022, 6.5498, 5.2299],
  },
};

/** Whether the tensors of a file mark its network as Playground 2.5. */
export const isPlayground = (all: WeightTable): boolean => all.has('edm_mean') && all.has('edm_std');

/** Reads the bytes of a tensor. */
export type ReadTensor = (tensor: StoredTensor) => Promise<Uint8Array>;

/**
 * @param network the network's weights by their names in the original layout
 * @param all all tensors of the file: some are marks, and hold no weights
 * @returns the fields of a `scheduler_config.json`; without fields, the network predicts noise
 */
export async function readTraining(
  family: Pick<Family, 'velocityMark' | 'hasTrainingMarks' | 'scheduler'>,
  network: WeightTable,
  all: WeightTable,
  read: ReadTensor,
): Promise<SchedulerConfig> {
  const { velocityMark, hasTrainingMarks, scheduler } = family;
  if (scheduler) return scheduler;
  const numbers = async (tensor: StoredTensor) => decodeFloats(await read(tensor), tensor.type);
  if (all.has('v_pred') && !hasTrainingMarks)
    return { prediction_type: 'v_prediction', rescale_betas_zero_snr: all.has('ztsnr') };
  if (velocityMark) {
    const tensor = network.get(velocityMark.name);
    const isVelocity = tensor && spread(await numbers(tensor)) > velocityMark.spreadAbove;
    return isVelocity ? { prediction_type: 'v_prediction' } : {};
  }
  if (!hasTrainingMarks) return {};
  if (isPlayground(all)) return PLAYGROUND.scheduler;
  const sigmaMax = all.get('edm_vpred.sigma_max');
  if (sigmaMax) {
    const sigmaMin = all.get('edm_vpred.sigma_min');
    return {
      _class_name: 'EDMEulerScheduler',
      prediction_type: 'v_prediction',
      sigma_data: 1,
      sigma_max: (await numbers(sigmaMax))[0],
      ...(sigmaMin && { sigma_min: (await numbers(sigmaMin))[0] }),
    };
  }
  if (!all.has('v_pred')) return {};
  return { prediction_type: 'v_prediction', rescale_betas_zero_snr: all.has('ztsnr') };
}

/** The standard deviation, with n - 1 degrees of freedom. */
function spread(numbers: Float32Array): number {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
  return Math.sqrt(squares / (numbers.length - 1));
}
