/** Recognizes autoencoders by the names and shapes of their weights. The kinds are in `autoencoders.json`. */
import type { WeightTable } from '../../weight-files/weight-table.ts';
import kinds from './autoencoders.json' with { type: 'json' };
import { diffusersAutoencoder } from './diffusers-autoencoder-names.ts';
import { ldmAutoencoder } from './ldm-autoencoder-names.ts';

/** `kl`: the autoencoder of latent diffusion, of any number of channels. `wan`: that of Wan 2.1 and Qwen-Image. */
export type AutoencoderLayout = 'kl' | 'taesd' | 'wan';

interface AutoencoderKind {
  readonly name: string;
  /** The tensor that the others lack. */
  readonly key: string;
  /** The second side of that tensor. */
  readonly inputs?: number;
  /** Undefined: graphs of this kind cannot be built yet. */
  readonly layout?: AutoencoderLayout;
}

/** An autoencoder for which graphs can be built. */
export interface KnownAutoencoder {
  readonly layout: AutoencoderLayout;
  /** By their names in diffusers; of TAESD and Wan by their own. */
  readonly weights: WeightTable;
  readonly latentChannels: number;
  /** Pixels per latent cell along each side. */
  readonly scale: number;
}

/**
 * The autoencoder whose weights these are, in the original layout or in that of diffusers. A name alone: an autoencoder
 * for which no graph can be built. Undefined: no known autoencoder.
 */
export function recognizeAutoencoder(table: WeightTable): KnownAutoencoder | string | undefined {
  const kind = (kinds as readonly AutoencoderKind[]).find(({ key, inputs }) => {
    const tensor = table.get(key);
    return tensor && (inputs === undefined || tensor.shape[1] === inputs);
  });
  if (!kind) return undefined;
  const { name, key, layout } = kind;
  if (layout === undefined) return name;
  const weights = layout === 'kl' ? diffusersNames(table) : table;
  const [, latentChannels = 0] = weights.get(layout === 'wan' ? 'conv2.weight' : key)?.shape ?? [];
  return { layout, weights, latentChannels, scale: 2 ** doublings(weights, layout) };
}

function diffusersNames(table: WeightTable): WeightTable {
  const isOriginal = [...table.keys()].some((name) => /^(encoder|decoder)\.mid\./.test(name));
  return isOriginal ? ldmAutoencoder(table) : diffusersAutoencoder(table);
}

/** How often the decoder doubles the sides of an image. */
function doublings(weights: WeightTable, layout: AutoencoderLayout): number {
  const pattern = {
    kl: /^decoder\.up_blocks\.\d+\.upsamplers\.0\.conv\.weight$/,
    // Only the convolutions after an enlargement have no bias.
    taesd: /^taesd_decoder\.\d+\.weight$/,
    wan: /^decoder\.upsamples\.\d+\.resample\.1\.weight$/,
  }[layout];
  return [...weights.keys()].filter(
    (name) => pattern.test(name) && (layout !== 'taesd' || !weights.has(name.replace(/weight$/, 'bias'))),
  ).length;
}
