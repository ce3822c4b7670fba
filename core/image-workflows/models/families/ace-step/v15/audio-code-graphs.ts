/**
 * Codes of ACE-Step 1.5: five latent cells become six numbers on a grid, and the other way round. Source: Mentzer et al.,
 * "Finite scalar quantization", 2023.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { add, concat, multiply, reshape, scaled, slice } from '../../../layers/elementary.ts';
import { linear } from '../../../layers/linear.ts';
import { NetworkModule, type Value } from '../../../layers/network-module.ts';
import { musicEncoder } from './music-layers.ts';

/** The values that each number of a code may have. */
export const CODE_LEVELS: readonly number[] = [8, 8, 8, 5, 5, 5];
/** Latent cells of a code. */
export const CODE_CELLS = 5;

const codesInfo: ValueInfo = { name: 'codes', type: 'float32', shape: [1, 'codes', CODE_LEVELS.length] };

/**
 * Input: `codes` [1, codes, 6], -1 to 1. Output: `hints` [1, codes · 5, channels], latents that music of the codes has.
 * @throws ModelUnsupported when weights are missing
 */
export function codeDecoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const quantized = linear(root.at('tokenizer.quantizer.project_out'), 'codes');
  const m = root.at('detokenizer');
  const [channels = 0, width = 0] = m.at('proj_out').shape();
  const tokens = reshape(m, linear(m.at('embed_tokens'), quantized), -1, 1, width);
  const cells = add(m, tokens, m.parameter('special_tokens'));
  const hints = reshape(m, linear(m.at('proj_out'), musicEncoder(m, cells)), 1, -1, channels);
  root.graph.node('Identity', [hints], {}, 'hints');
  return root.graph.buildModel(
    [codesInfo],
    [{ name: 'hints', type: 'float32', shape: [1, 'cells', channels] }],
  );
}

/**
 * Input: `latents` [1, codes · 5, channels]. Output: `codes` [1, codes, 6], -1 to 1.
 * @throws ModelUnsupported when weights are missing
 */
export function codeEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const m = root.at('tokenizer');
  const pooler = m.at('attention_pooler');
  const [width = 0, channels = 0] = m.at('audio_acoustic_proj').shape();
  const cells = linear(m.at('audio_acoustic_proj'), 'latents');
  const groups = reshape(pooler, linear(pooler.at('embed_tokens'), cells), -1, CODE_CELLS, width);
  const count = pooler.op('Slice', [
    pooler.op('Shape', [groups]),
    ...[0, 1].map((at) => pooler.graph.int64Initializer([at])),
  ]);
  const sides = concat(pooler, 0, count, pooler.graph.int64Initializer([1, width]));
  const first = pooler.op('Expand', [pooler.parameter('special_token'), sides]);
  const pooled = slice(pooler, musicEncoder(pooler, concat(pooler, 1, first, groups)), 1, 0, 1);
  const numbers = linear(m.at('quantizer.project_in'), reshape(m, pooled, 1, -1, width));
  root.graph.node('Identity', [onGrid(m, numbers)], {}, 'codes');
  return root.graph.buildModel(
    [{ name: 'latents', type: 'float32', shape: [1, 'cells', channels] }],
    [codesInfo],
  );
}

/** The nearest values of the grid, as ComfyUI computes them: numbers pass through two tangents. */
function onGrid(m: NetworkModule, x: Value): Value {
  const row = (name: string, of: (levels: number) => number) =>
    m.constant(name, [CODE_LEVELS.length], CODE_LEVELS.map(of));
  const limit = row('limits', (levels) => 1 + 1 / (levels - 1));
  const limited = multiply(m, m.op('Tanh', [m.op('Div', [x, limit])]), limit);
  const share = scaled(m, add(m, m.op('Tanh', [limited]), m.graph.scalarInitializer(1)), 0.5);
  const steps = multiply(
    m,
    share,
    row('steps', (levels) => levels - 1),
  );
  const place = m.op('Floor', [add(m, steps, m.graph.scalarInitializer(0.5))]);
  const grid = multiply(
    m,
    place,
    row('step_widths', (levels) => 2 / (levels - 1)),
  );
  return m.op('Sub', [grid, m.graph.scalarInitializer(1)]);
}
