/** Opens autoencoders in files of weights. Their graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { VaeModel } from '../../values/image-models.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { decoderGraph, encoderGraph } from '../families/autoencoders/autoencoder-graph.ts';
import {
  type AutoencoderLayout,
  type KnownAutoencoder,
  recognizeAutoencoder,
} from '../families/autoencoders/recognize-autoencoder.ts';
import { tinyDecoderGraph, tinyEncoderGraph } from '../families/autoencoders/tiny-autoencoder-graph.ts';
import { wanVae } from '../families/wan-vae/wan-vae.ts';
import { vaeModel } from '../vae/vae-model.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';

/** The beginnings of an autoencoder's names in checkpoints. Some files of autoencoders alone have them, too. */
export const VAE_PREFIXES = ['first_stage_model.', 'vae.'];

const BUILDERS: Readonly<
  Record<
    Exclude<AutoencoderLayout, 'wan'>,
    Record<'encoder' | 'decoder', (weights: WeightTable) => Uint8Array<ArrayBuffer>>
  >
> = {
  kl: { encoder: encoderGraph, decoder: decoderGraph },
  taesd: { encoder: tinyEncoderGraph, decoder: tinyDecoderGraph },
};

/**
 * Reads the file's table only. Rejects with `FileMissing`, `ModelCorrupt` for a damaged file, and `ModelUnsupported` for
 * a file without a known autoencoder.
 */
export async function openAutoencoderFile(host: Host, path: FilePath): Promise<VaeModel> {
  const file = await readWeightFile(host.files, path);
  const inCheckpoint = VAE_PREFIXES.map((prefix) => withoutPrefix(file.table, prefix)).find(
    ({ size }) => size > 0,
  );
  const found = recognizeAutoencoder(inCheckpoint ?? file.table);
  if (found === undefined)
    throw new ModelUnsupported(
      `${file.name} holds no autoencoder that is known here: ${describeContents(file)}`,
    );
  if (typeof found === 'string')
    throw new ModelUnsupported(
      `the autoencoder in ${file.name} is that of ${found}, which does not run here yet: use one of Stable Diffusion, SDXL, Stable Diffusion 3, Flux, Wan 2.1 or Qwen-Image, or TAESD`,
    );
  return openAutoencoder(new WeightFileGraphs(host, file), found);
}

/** An autoencoder in an open file. */
export function openAutoencoder(graphs: WeightFileGraphs, found: KnownAutoencoder): VaeModel {
  const { layout, weights, latentChannels, scale } = found;
  if (layout === 'wan') return wanVae(graphs, found);
  const without = (other: string) =>
    new Map([...weights].filter(([name]) => !name.replace(/^taesd_/, '').startsWith(`${other}.`)));
  const part = (name: 'encoder' | 'decoder', other: string): ModelGraph =>
    graphs.graph(`vae_${name}`, without(other), () => BUILDERS[layout][name](weights));
  const hasEncoder = [...weights.keys()].some((name) => /^(taesd_)?encoder\./.test(name));
  return vaeModel({
    encoder: hasEncoder ? part('encoder', 'decoder') : undefined,
    decoder: part('decoder', 'encoder'),
    latentChannels,
    scale,
    config: {},
  });
}
