import { recognizeAutoencoder } from '../families/autoencoders/recognize-autoencoder.ts';
import { recognizeTextEncoder } from '../families/text-encoders/recognize-text-encoder.ts';
import { latentUpscalerKind } from '../upscaling/networks/latent-upscaler-graph.ts';
import { nearestKind } from '../weight-files/describe-contents.ts';
import { hasPrefix, type WeightTable } from '../weight-files/weight-table.ts';
import { VAE_PREFIXES } from './open-autoencoder.ts';
import { findNetwork } from './open-network.ts';

/** The kind of a file of weights. */
export interface WeightsKind {
  /** For people: `a LoRA or one of its relatives`. */
  name: string;
  /** The folder below `models` in which loader nodes look for it. */
  folder: string;
}

/** A file counts as the kind of most of its names only if they are this share of all. */
const CLEAR_SHARE = 0.5;

/**
 * The kind of a file with these tensors. A network with an autoencoder is a checkpoint, and a network alone a diffusion
 * model. Undefined: the names do not say it clearly.
 */
export function kindOfWeights(table: WeightTable): WeightsKind | undefined {
  const network = findNetwork(table);
  if (network) {
    const hasAutoencoder = VAE_PREFIXES.some((prefix) => hasPrefix(table, prefix));
    return hasAutoencoder
      ? { name: `a checkpoint of ${network.family.name}`, folder: 'checkpoints' }
      : { name: `a diffusion network of ${network.family.name}`, folder: 'diffusion_models' };
  }
  if (recognizeAutoencoder(table)) return { name: 'an autoencoder', folder: 'vae' };
  if (latentUpscalerKind(table)) return { name: 'an upscaler of latents', folder: 'latent_upscale_models' };
  const encoder = recognizeTextEncoder(table);
  const nearest = nearestKind([...table.keys()]);
  if (nearest && nearest.count >= CLEAR_SHARE * table.size) return nearest;
  return encoder && { name: `the text encoder ${encoder.found.label}`, folder: 'text_encoders' };
}

/**
 * The folder below `models` in which loader nodes look for a file with these tensors, such as `loras`. Files of unknown
 * kinds count as checkpoints, whose loader names the cause.
 * @param published the folder in which published graphs expect a file of this name. Undefined: none names it
 */
export const folderOfWeights = (table: WeightTable, published?: string): string =>
  kindOfWeights(table)?.folder ?? published ?? nearestKind([...table.keys()])?.folder ?? 'checkpoints';
