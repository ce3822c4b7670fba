import { loadNetwork } from '../../models/checkpoints/standalone-parts.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { NodeContext } from '../kernel/node-context.ts';

/** Loads a network of the folder `diffusion_models`, and starts to open its graph. */
export async function openNetwork(
  { unet_name }: { unet_name: string },
  { host, signal }: Pick<NodeContext, 'host' | 'signal'>,
): Promise<[DiffusionModel]> {
  const model = await loadNetwork(host, unet_name);
  model.network.prepare?.(signal);
  return [model];
}
