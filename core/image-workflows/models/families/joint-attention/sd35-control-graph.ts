import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, silu } from '../../layers/elementary.ts';
import { tanhFeedForward } from '../../layers/feed-forward.ts';
import { attendTokens, OWN_TOKENS, project } from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, modulate, modulations, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { cellsToTokens, patchesOf } from '../../layers/patches.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { controlSamples } from './control-samples.ts';

const HEAD_WIDTH = 64;
/** The width of the sinusoid of a timestep. */
const TIME_WIDTH = 256;

/** The layers of the model through which the pooled text passes before those of the control net. */
export const MODEL_TEXT = 'model_text_embedder';

/**
 * The ONNX model of a control net of Stable Diffusion 3.5 large by Stability AI, as ComfyUI runs it. Its blocks see the
 * tokens of the image alone, and each the same ones.
 * Inputs and outputs are those of `sd3ControlGraph`. The text has no effect.
 * @param weights by their names in diffusers, with `MODEL_TEXT`
 * @throws ModelUnsupported when weights are missing
 */
export function sd35ControlGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, channels = 0] = root.at('pos_embed.proj').shape();
  const [, pooledWidth = 0] = root.at(`${MODEL_TEXT}.linear_1`).shape();
  const cells = (name: string, input: string) => cellsToTokens(root, patchesOf(root.at(name), input));
  const image = add(
    root,
    cells('pos_embed.proj', 'hidden_states'),
    cells('pos_embed_input.proj', 'controlnet_cond'),
  );
  const embedder = root.at('time_text_embed.timestep_embedder');
  const pooled = embeddingLayers(root.at(MODEL_TEXT), 'pooled_projections');
  const time = add(
    root,
    embeddingLayers(embedder, sinusoid(embedder, 'timestep', TIME_WIDTH)),
    embeddingLayers(root.at('time_text_embed.text_embedder'), pooled),
  );
  const embedding = silu(root, time);
  const values = root.list('transformer_blocks').map((block) => imageBlock(block, image, embedding, width));
  const float = (name: string, ...shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  return root.graph.buildModel(
    [
      float('hidden_states', 'batch', channels, 'height', 'width'),
      float('encoder_hidden_states', 'batch', 'tokens', 'text_width'),
      float('pooled_projections', 'batch', pooledWidth),
      float('timestep', 1),
      float('controlnet_cond', 'batch', channels, 'height', 'width'),
    ],
    controlSamples(root.list('controlnet_blocks'), values),
  );
}

/** A block of Peebles and Xie, "Scalable diffusion models with transformers", 2023, figure 3. */
function imageBlock(m: NetworkModule, image: Value, time: Value, width: number): Value {
  const [shift, scale, gate, shift2, scale2, gate2] = modulations(m.at('norm1'), time, width);
  const seen = modulate(m.at('norm1'), plainNorm(m.at('norm1'), image, width), shift!, scale!);
  const attention = m.at('attn');
  const projected = project(attention, seen, OWN_TOKENS, HEAD_WIDTH);
  const mixed = linear(attention.at('to_out.0'), attendTokens(attention, projected, width, HEAD_WIDTH));
  const changed = addGated(m, image, gate!, mixed);
  const normed = modulate(m.at('norm2'), plainNorm(m.at('norm2'), changed, width), shift2!, scale2!);
  return addGated(m, changed, gate2!, tanhFeedForward(m.at('ff'), normed));
}
