import { NETWORK_FAMILIES } from '../families/network-families.ts';
import { nearestKind } from '../weight-files/describe-contents.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { VAE_PREFIXES } from './open-autoencoder.ts';
import { NETWORK_PREFIXES } from './open-network.ts';

/**
 * The folder below `models` in which loader nodes look for a file with these tensors, such as `loras`. A network with an
 * autoencoder is a checkpoint, and a network alone a diffusion model. Files of unknown kinds count as checkpoints, whose
 * loader names the cause.
 */
export function folderOfWeights(table: WeightTable): string {
  const hasNetwork = NETWORK_PREFIXES.some((prefix) => {
    const network = withoutPrefix(table, prefix);
    return NETWORK_FAMILIES.some((family) => family.isIn(network));
  });
  if (!hasNetwork) return nearestKind([...table.keys()])?.folder ?? 'checkpoints';
  const hasAutoencoder = VAE_PREFIXES.some((prefix) => withoutPrefix(table, prefix).size > 0);
  return hasAutoencoder ? 'checkpoints' : 'diffusion_models';
}
