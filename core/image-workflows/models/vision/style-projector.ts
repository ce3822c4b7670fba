/**
 * The style projector of USO (Wu et al., "USO: unified style and subject-driven generation", 2025, section 3.2): tokens of
 * Flux from three layers of a vision encoder.
 */
import type { Host } from '#core/host';
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import type { StyleModel } from '../../values/vision.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { concat, reshape, silu, slice, transpose } from '../layers/elementary.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule } from '../layers/network-module.ts';
import { layerNorm } from '../layers/norms.ts';
import type { WeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';

/** The parts of the projector in the order of their tokens, with the places of their layers in `style_states`. */
const PARTS = [
  ['high', 2],
  ['mid', 1],
  ['low', 0],
] as const;

/**
 * Input: `style_states` [batch, layers, tokens, width], the first layer first. Output: `style_tokens` [batch, tokens,
 * width].
 * @throws ModelUnsupported when weights are missing
 */
export function styleProjectorGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const m = root.at('feature_embedder');
  const [, tokens = 0] = m.at('high_embedding_linear.0').shape();
  const [outputs = 0, width = 0] = m.at('high_projection').shape();
  const parts = PARTS.map(([name, layer]) => {
    const states = reshape(m, slice(m, 'style_states', 1, layer, layer + 1), -1, tokens, width);
    const fewer = silu(m, linear(m.at(`${name}_embedding_linear.0`), transpose(m, states, 0, 2, 1)));
    const normed = layerNorm(m.at(`${name}_layer_norm`), transpose(m, fewer, 0, 2, 1));
    return linear(m.at(`${name}_projection`), normed);
  });
  root.graph.node('Identity', [concat(root, 1, ...parts)], {}, 'style_tokens');
  return root.graph.buildModel(
    [{ name: 'style_states', type: 'float32', shape: ['batch', PARTS.length, tokens, width] }],
    [{ name: 'style_tokens', type: 'float32', shape: ['batch', 'style tokens', outputs] }],
  );
}

/** Whether the weights are those of the style projector. */
export const isStyleProjector = (table: ReadonlyMap<string, StoredTensor>): boolean =>
  table.has('feature_embedder.mid_layer_norm.bias');

/** @param file one with `isStyleProjector` */
export function styleProjector(host: Host, file: WeightFile): StyleModel {
  const graph = new WeightFileGraphs(host, file).graph('style', file.table, () =>
    styleProjectorGraph(file.table),
  );
  return {
    async tokens({ styleStates }, signal) {
      if (!styleStates)
        throw new TypeError(
          'the style projector reads layers of a vision encoder that this one lacks: load SigLIP (sigclip_vision_patch14_384) with CLIPVisionLoader',
        );
      const session = await graph.session(signal);
      const slot = requireSlot(session, 'style_states');
      if (slot.shape.slice(2).join() !== styleStates.shape.slice(2).join())
        throw new TypeError(
          `the style projector takes [${slot.shape.slice(2).join(', ')}] for each layer, and the vision encoder has [${styleStates.shape.slice(2).join(', ')}]: load SigLIP (sigclip_vision_patch14_384)`,
        );
      const outputs = await session.run({ [slot.name]: feed(slot, styleStates) }, signal);
      return toFloatTensor(outputs.style_tokens!);
    },
  };
}
