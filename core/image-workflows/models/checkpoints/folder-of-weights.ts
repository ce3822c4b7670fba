import { nearestKind } from '../weight-files/describe-contents.ts';
import { hasPrefix, type WeightTable } from '../weight-files/weight-table.ts';
import { VAE_PREFIXES } from './open-autoencoder.ts';
import { findNetwork } from './open-network.ts';

/**
 * The folder below `models` in which loader nodes look for a file with these tensors, such as `loras`. A network with an
 * autoencoder is a checkpoint, and a network alone a diffusion model. Files of unknown kinds count as checkpoints, whose
 * loader names the cause.
 */
export function folderOfWeights(table: WeightTable): string {
  if (!findNetwork(table)) return nearestKind([...table.keys()])?.folder ?? 'checkpoints';
  const hasAutoencoder = VAE_PREFIXES.some((prefix) => hasPrefix(table, prefix));
  return hasAutoencoder ? 'checkpoints' : 'diffusion_models';
}
