import type { Checkpoint } from '../../models/checkpoints/open-checkpoint.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { NodeContext } from '../kernel/node-context.ts';

/**
 * The outputs of a checkpoint loader. Starts to open the network and the autoencoder if the graph uses them, so that
 * they open while prompts are encoded.
 */
export function prepareCheckpoint(
  { model, clip, vae }: Checkpoint,
  { isTaken, signal }: NodeContext,
): [DiffusionModel, ClipModel, VaeModel] {
  if (isTaken(0)) model.network.prepare?.(signal);
  if (isTaken(2)) vae.prepare?.(signal);
  return [model, clip, vae];
}
