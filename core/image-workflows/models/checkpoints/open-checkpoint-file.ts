/** Opens a checkpoint that is a single file of weights. Its graphs are built from the names and shapes of the weights. */
import { type BuiltGraphFile, type FilePath, type Host, ModelCorrupt, type NamedGraphFile } from '#core/host';
import type { StoredTensor } from '#core/tensors';
import { clipVocabulary } from '../../text/clip-vocabulary.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { GraphPart, ModelGraph } from '../../values/model-graph.ts';
import { clipModel } from '../encoders/clip-model.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import { decoderGraph, encoderGraph } from '../families/autoencoder-graph.ts';
import {
  checkpointEncoder,
  clipEncoderModel,
  encoderWeights,
  encoderGraph as textGraph,
} from '../families/checkpoint-text-encoder.ts';
import { ldmAutoencoder } from '../families/ldm-autoencoder-names.ts';
import { ldmUnet } from '../families/ldm-unet-names.ts';
import { readTraining } from '../families/read-training.ts';
import { type Family, recognizeFamily, type UnetTraits, unetTraits } from '../families/recognize.ts';
import { unetGraph } from '../families/unet-graph.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { denoiserOf } from '../networks/open-denoiser.ts';
import { vaeModel } from '../vae/vae-model.ts';
import { readWeightFile, type WeightFile } from '../weight-files/read-weight-file.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import type { Checkpoint } from './open-checkpoint.ts';

const NETWORK_PREFIX = 'model.diffusion_model.';
const VAE_PREFIX = 'first_stage_model.';

/**
 * Reads the file's table only: graphs are built and weights are read when they are used.
 * Rejects with `FileMissing`, `ModelCorrupt` for a damaged file, and `ModelUnsupported` for an unknown family.
 */
export async function openCheckpointFile(host: Host, path: FilePath): Promise<Checkpoint> {
  const file = await readWeightFile(host.files, path);
  const network = withoutPrefix(file.table, NETWORK_PREFIX);
  const traits = unetTraits(network);
  if (!traits) throw unknownContents(file);
  const family = recognizeFamily(traits);
  const parts = new CheckpointParts(host, file);
  return {
    model: await openNetwork(parts, family, traits, network),
    clip: await openClip(parts, family),
    vae: openVae(parts),
  };
}

function unknownContents({ name, table }: WeightFile): ModelCorrupt {
  const keys = [...table.keys()];
  return new ModelCorrupt(
    `${name} holds no diffusion network that is known here: its ${keys.length} tensors begin with ${keys.slice(0, 3).join(', ')}`,
  );
}

/** The graphs of a file. */
class CheckpointParts {
  constructor(
    readonly host: Host,
    readonly file: WeightFile,
  ) {}

  /** @param build is called when the graph opens. */
  graph(name: string, weights: WeightTable, build: () => Uint8Array<ArrayBuffer>): ModelGraph {
    const { path, modifiedAt } = this.file;
    // Another file of the same name gets graphs of its own.
    return graphsOf(this.host).built(`${path}/${name} ${modifiedAt}`, () => this.#parts(weights, build));
  }

  async #parts(weights: WeightTable, build: () => Uint8Array<ArrayBuffer>): Promise<GraphPart[]> {
    const { path, name, size, modifiedAt } = this.file;
    const now = await this.host.files.stat(path);
    if (now?.size !== size || now.modifiedAt !== modifiedAt)
      throw new ModelCorrupt(`${name} has changed since it was loaded: run the loader again`);
    const bytes = build();
    let used = 0;
    for (const { start, end } of weights.values()) used += end - start;
    const graph: BuiltGraphFile = { role: 'weights', name: 'model.onnx', size: bytes.length, bytes };
    const data: NamedGraphFile = { role: 'part', name, size, path, used };
    return [graph, data];
  }
}

async function openNetwork(
  parts: CheckpointParts,
  family: Family,
  traits: UnetTraits,
  table: WeightTable,
): Promise<DiffusionModel> {
  const weights = ldmUnet(table);
  const { heads, headWidth } = family;
  const graph = parts.graph('unet', weights, () =>
    unetGraph(weights, { ...(heads && { heads }), ...(headWidth && { headWidth }) }),
  );
  const { path } = parts.file;
  const read = ({ start, end }: StoredTensor) => parts.host.files.read(path, start, end);
  const scheduler = await readTraining(family, table, parts.file.table, read);
  const config = { in_channels: traits.inputs, cross_attention_dim: traits.contextWidth };
  return denoiserOf({ kind: family.kind, graph, config, scheduler: { ...scheduler }, vae: {} });
}

async function openClip(parts: CheckpointParts, family: Family): Promise<ClipModel> {
  const vocabulary = await clipVocabulary();
  const encoders = family.encoders.flatMap((key) => {
    const encoder = checkpointEncoder(key);
    const weights = encoderWeights(parts.file.table, encoder);
    if (weights.size === 0) return [];
    const graph = parts.graph(`text_encoder_${encoder.name}`, weights, () => textGraph(weights, encoder));
    return [clipEncoderModel(encoder, graph, vocabulary)];
  });
  return clipModel({ encoders, combination: 'concat', embeddings: embeddingFiles(parts.host) });
}

function openVae(parts: CheckpointParts): VaeModel {
  const weights = ldmAutoencoder(withoutPrefix(parts.file.table, VAE_PREFIX));
  const [, latentChannels = 4] = weights.get('decoder.conv_in.weight')?.shape ?? [];
  const part = (name: string) => new Map([...weights].filter(([key]) => !key.startsWith(name)));
  return vaeModel({
    encoder: parts.graph('vae_encoder', part('decoder.'), () => encoderGraph(weights)),
    decoder: parts.graph('vae_decoder', part('encoder.'), () => decoderGraph(weights)),
    latentChannels,
    scale: 8,
    config: {},
  });
}
