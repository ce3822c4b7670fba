/** Opens a checkpoint that is a single file of weights. Its graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { VaeModel } from '../../values/image-models.ts';
import { recognizeAutoencoder } from '../families/autoencoders/recognize-autoencoder.ts';
import type { OpenedNetwork } from '../families/network-family.ts';
import { openBundledVision } from '../vision/clip-vision.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { withoutPrefix } from '../weight-files/weight-table.ts';
import { openAutoencoder, VAE_PREFIXES } from './open-autoencoder.ts';
import type { Checkpoint } from './open-checkpoint.ts';
import { openBundledEncoders } from './open-encoder.ts';
import { openNetwork } from './open-network.ts';

/**
 * Reads the file's table only: graphs are built and weights are read when they are used.
 * Rejects with `FileMissing`, `ModelCorrupt` for a damaged file, and `ModelUnsupported` for an unknown family.
 */
export async function openCheckpointFile(host: Host, path: FilePath): Promise<Checkpoint> {
  const graphs = new WeightFileGraphs(host, await readWeightFile(host.files, path));
  const network = await openNetwork(graphs);
  const clipVision = openBundledVision(graphs);
  return {
    model: network.model,
    clip: await openBundledEncoders(graphs, network.encoders, network.combination),
    vae: openVae(graphs, network),
    ...(clipVision && { clipVision }),
  };
}

/** A checkpoint without a known autoencoder gets a model that says so when it is used. */
function openVae(graphs: WeightFileGraphs, { model }: OpenedNetwork): VaeModel {
  const tables = VAE_PREFIXES.map((prefix) => withoutPrefix(graphs.file.table, prefix));
  const found = tables.map(recognizeAutoencoder).find((each) => typeof each === 'object');
  return found ? openAutoencoder(graphs, found) : missingVae(graphs.file.name, model.latent.channels);
}

function missingVae(name: string, latentChannels: number): VaeModel {
  const fail = async (): Promise<never> => {
    throw new ModelUnsupported(`${name} holds no autoencoder that is known here: load one with VAELoader`);
  };
  return { encode: fail, decode: fail, latentChannels, scale: 8 };
}
