/** Recognizes autoencoders by the names and shapes of their weights. The kinds are in `autoencoders.json`. */
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';
import { isDiffusersWan, originalWan } from '../wan-vae/diffusers-wan-names.ts';
import kinds from './autoencoders.json' with { type: 'json' };
import { diffusersAutoencoder } from './diffusers-autoencoder-names.ts';
import { ldmAutoencoder } from './ldm-autoencoder-names.ts';

/**
 * `kl`: the autoencoder of latent diffusion, of any number of channels. `wan`: that of Wan and Qwen-Image. `ltxv`: that
 * of LTX Video. `hunyuan`: that of Hunyuan Video. `hunyuan-image`: that of Hunyuan Image 2.1. `hunyuan-refiner`: that of
 * its refiner and of Hunyuan Video 1.5. `mochi`: that of Mochi. `stage-a`, `stage-c`: those of Stable Cascade.
 * `oobleck`: that of Stable Audio; with `-48k` that of ACE-Step 1.5. `music`: that of ACE-Step 1. `shape`: that of Hunyuan3D.
 */
export type AutoencoderLayout =
  | 'kl'
  | 'taesd'
  | 'wan'
  | 'ltxv'
  | 'hunyuan'
  | 'hunyuan-image'
  | 'hunyuan-refiner'
  | 'mochi'
  | 'stage-a'
  | 'stage-c'
  | 'oobleck'
  | 'oobleck-48k'
  | 'music'
  | 'shape';

interface AutoencoderKind {
  readonly name: string;
  /** The tensor that the others lack. */
  readonly key: string;
  /** The second side of that tensor. */
  readonly inputs?: number;
  /** The third side of that tensor. */
  readonly kernel?: number;
  /** Its decoder sees the frames of a video together. */
  readonly isVideo?: boolean;
  /** Undefined: graphs of this kind cannot be built yet. */
  readonly layout?: AutoencoderLayout;
  /** The tensor whose second side is the number of the latent's channels. Default: `key`. */
  readonly channels?: string;
  /** The tensor with a row for each color of a patch of pixels. Undefined: the decoder makes pixels. */
  readonly patches?: string;
}

/** An autoencoder for which graphs can be built. */
export interface KnownAutoencoder {
  readonly layout: AutoencoderLayout;
  /** By their names in diffusers; of TAESD and videos by their own. */
  readonly weights: WeightTable;
  readonly latentChannels: number;
  /** Pixels per latent cell along each side. */
  readonly scale: number;
  /** Whether the decoder sees the frames of a video together. */
  readonly isVideo?: boolean;
}

const STATISTICS = 'bn.running_mean';

/** Autoencoders of one form: channels of latents, and pixels or samples for each latent cell. */
const FIXED: Partial<Record<AutoencoderLayout, readonly [latentChannels: number, scale: number]>> = {
  'stage-a': [4, 4],
  'stage-c': [16, 32],
  oobleck: [64, 2048],
  'oobleck-48k': [64, 1920],
  music: [8, 4096],
};

/**
 * The autoencoder whose weights these are, in the original layout or in that of diffusers. A name alone: an autoencoder
 * for which no graph can be built. Undefined: no known autoencoder.
 */
export function recognizeAutoencoder(found: WeightTable): KnownAutoencoder | string | undefined {
  const table = isDiffusersWan(found) ? originalWan(found) : withMochiPrefix(found);
  const kind = (kinds as readonly AutoencoderKind[]).find(({ key, inputs, kernel }) => {
    const tensor = table.get(key);
    const fits = (side: number, expected?: number) =>
      expected === undefined || tensor?.shape[side] === expected;
    return tensor && fits(1, inputs) && fits(2, kernel);
  });
  if (!kind) return undefined;
  const { name, key, layout, channels = key, patches, isVideo } = kind;
  if (layout === undefined) return name;
  const weights = layout === 'kl' ? diffusersNames(table) : table;
  const fixed = FIXED[layout];
  if (fixed) return { layout, weights, latentChannels: fixed[0], scale: fixed[1] };
  const [, cellChannels = 0] = weights.get(channels)?.shape ?? [];
  // Flux 2 standardizes squares of cells.
  const [latentChannels = cellChannels] = (layout === 'kl' && weights.get(STATISTICS)?.shape) || [];
  const [colors = 3] = (patches && weights.get(patches)?.shape) || [];
  return {
    layout,
    weights,
    latentChannels,
    scale: 2 ** doublings(weights, layout) * Math.sqrt(colors / 3) * Math.sqrt(latentChannels / cellChannels),
    ...(isVideo && { isVideo }),
  };
}

/** Some files have the decoder of Mochi alone, without a prefix. */
const withMochiPrefix = (table: WeightTable): WeightTable =>
  table.has('blocks.2.blocks.3.stack.5.weight') ? renamed(table, (name) => `decoder.${name}`) : table;

function diffusersNames(table: WeightTable): WeightTable {
  const isOriginal = [...table.keys()].some((name) => /^(encoder|decoder)\.mid\./.test(name));
  return isOriginal ? ldmAutoencoder(table) : diffusersAutoencoder(table);
}

/** How often the decoder doubles the sides of an image. */
function doublings(weights: WeightTable, layout: AutoencoderLayout): number {
  const patterns: Partial<Record<AutoencoderLayout, RegExp>> = {
    kl: /^decoder\.up_blocks\.\d+\.upsamplers\.0\.conv\.weight$/,
    // Only the convolutions after an enlargement have no bias.
    taesd: /^taesd_decoder\.\d+\.weight$/,
    hunyuan: /^decoder\.up\.\d+\.upsample\.conv\.conv\.weight$/,
    'hunyuan-image': /^decoder\.up\.\d+\.upsample\.conv\.weight$/,
    'hunyuan-refiner': /^decoder\.up\.\d+\.upsample\.conv\.conv\.weight$/,
    mochi: /^decoder\.blocks\.\d+\.proj\.weight$/,
    ltxv: /^decoder\.up_blocks\.\d+\.conv\.conv\.weight$/,
    wan: /^decoder\.(upsamples\.\d+\.)+resample\.1\.weight$/,
  };
  const pattern = patterns[layout] ?? /$^/;
  return [...weights.keys()].filter(
    (name) => pattern.test(name) && (layout !== 'taesd' || !weights.has(name.replace(/weight$/, 'bias'))),
  ).length;
}
