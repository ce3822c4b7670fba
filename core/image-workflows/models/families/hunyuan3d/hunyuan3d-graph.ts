/**
 * The transformer of Hunyuan3D 2 (Tencent, "Hunyuan3D 2.0: scaling diffusion models for high resolution textured 3D assets
 * generation", 2025, section 3.2) as an ONNX model. Its blocks are those of Flux, without positions.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, scaled, silu } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { modulations } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { fluxTokens, type Shared } from '../joint-attention/flux-graph.ts';

/** The width of the sinusoid of a timestep or guidance scale, and the base of its frequencies. */
const SINUSOID = 256;
const THETA = 1000;
/** Timesteps and guidance scales are counted in thousandths. */
const UNIT = 1000;
const HEAD_WIDTH = 64;

/**
 * Inputs:
 * - `hidden_states` [batch, cells, channels];
 * - `encoder_hidden_states` [batch, tokens, width]: the image by DINOv2;
 * - `timestep` [1], from 0 (the shape) to 1 (noise);
 * - for distilled networks `guidance` [batch].
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @param weights those of blocks by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuan3dGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, channels = 0] = root.at('latent_in').shape();
  const [, contextWidth = 0] = root.at('cond_in').shape();
  const embedding = silu(root, conditionEmbedding(root));
  const shared: Shared = {
    width,
    headWidth: HEAD_WIDTH,
    modulation: (norm) => modulations(norm, embedding, width),
    turned: undefined,
  };
  const image = linear(root.at('latent_in'), 'hidden_states');
  const text = linear(root.at('cond_in'), 'encoder_hidden_states');
  // The network points from noise to shape.
  const output = root.op('Neg', [fluxTokens(root, image, text, shared)]);
  root.graph.node('Identity', [output], {}, 'out_hidden_states');
  const float = (name: string, ...shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  return root.graph.buildModel(
    [
      float('hidden_states', 'batch', 'cells', channels),
      float('encoder_hidden_states', 'batch', 'tokens', contextWidth),
      float('timestep', 1),
      ...(guidanceOf(root).exists() ? [float('guidance', 'batch')] : []),
    ],
    [float('out_hidden_states', 'batch', 'cells', root.at('proj_out').shape()[0]!)],
  );
}

const guidanceOf = (root: NetworkModule): NetworkModule => root.at('time_text_embed.guidance_embedder');

/** [batch, width]. The network counts time from the noise on. */
function conditionEmbedding(root: NetworkModule): Value {
  const embedded = (m: NetworkModule, numbers: Value) =>
    embeddingLayers(m, sinusoid(m, scaled(m, numbers, UNIT), SINUSOID, THETA));
  const time = root.op('Sub', [root.graph.scalarInitializer(1), 'timestep']);
  const m = root.at('time_text_embed.timestep_embedder');
  const guidance = guidanceOf(root);
  return guidance.exists() ? add(root, embedded(m, time), embedded(guidance, 'guidance')) : embedded(m, time);
}
