/** Opens a checkpoint that is a single file of weights. Its graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { StoredTensor } from '#core/tensors';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { ldmUnet } from '../families/ldm-unet-names.ts';
import { readTraining } from '../families/read-training.ts';
import { type Family, recognizeFamily, type UnetTraits, unetTraits } from '../families/recognize.ts';
import { recognizeAutoencoder } from '../families/recognize-autoencoder.ts';
import { unetGraph } from '../families/unet-graph.ts';
import { denoiserOf } from '../networks/open-denoiser.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { openAutoencoder, VAE_PREFIX } from './open-autoencoder.ts';
import type { Checkpoint } from './open-checkpoint.ts';
import { openBundledEncoders } from './open-encoder.ts';

const NETWORK_PREFIX = 'model.diffusion_model.';

/**
 * Reads the file's table only: graphs are built and weights are read when they are used.
 * Rejects with `FileMissing`, `ModelCorrupt` for a damaged file, and `ModelUnsupported` for an unknown family.
 */
export async function openCheckpointFile(host: Host, path: FilePath): Promise<Checkpoint> {
  const file = await readWeightFile(host.files, path);
  const network = withoutPrefix(file.table, NETWORK_PREFIX);
  const traits = unetTraits(network);
  if (!traits)
    throw new ModelUnsupported(
      `${file.name} holds no diffusion network that is known here: ${describeContents(file)}`,
    );
  const family = recognizeFamily(traits);
  const graphs = new WeightFileGraphs(host, file);
  return {
    model: await openNetwork(graphs, family, traits, network),
    clip: await openBundledEncoders(graphs, family.encoders, 'concat'),
    vae: openVae(graphs),
  };
}

async function openNetwork(
  graphs: WeightFileGraphs,
  family: Family,
  traits: UnetTraits,
  table: WeightTable,
): Promise<DiffusionModel> {
  const weights = ldmUnet(table);
  const { heads, headWidth } = family;
  const graph = graphs.graph('unet', weights, () =>
    unetGraph(weights, { ...(heads && { heads }), ...(headWidth && { headWidth }) }),
  );
  const { host, file } = graphs;
  const read = ({ start, end }: StoredTensor) => host.files.read(file.path, start, end);
  const scheduler = await readTraining(family, table, file.table, read);
  const config = { in_channels: traits.inputs, cross_attention_dim: traits.contextWidth };
  return denoiserOf({ kind: family.kind, graph, config, scheduler: { ...scheduler }, vae: {} });
}

/** A checkpoint without a known autoencoder gets a model that says so when it is used. */
function openVae(graphs: WeightFileGraphs): VaeModel {
  const found = recognizeAutoencoder(withoutPrefix(graphs.file.table, VAE_PREFIX));
  return typeof found === 'object' ? openAutoencoder(graphs, found) : missingVae(graphs.file.name);
}

function missingVae(name: string): VaeModel {
  const fail = async (): Promise<never> => {
    throw new ModelUnsupported(`${name} holds no autoencoder that is known here: load one with VAELoader`);
  };
  return { encode: fail, decode: fail, latentChannels: 4, scale: 8 };
}
