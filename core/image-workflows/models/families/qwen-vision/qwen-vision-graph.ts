/** The vision encoder of Qwen 2.5 VL (Bai et al., "Qwen2.5-VL technical report", 2025, section 2.1) as an ONNX model. */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, gelu, multiply, reshape, silu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotation } from '../../layers/rotary.ts';

/** Its weights do not show these. */
export interface QwenVisionOptions {
  heads: number;
  /** Every so many layers see the whole image. The others see windows. */
  interval: number;
}

const PUBLISHED: QwenVisionOptions = { heads: 16, interval: 8 };
const THETA = 10_000;
/** Patches that become one token. */
export const MERGED = 4;

/**
 * Inputs:
 * - `pixel_values` [patches, values], those of one token in a row, each patch twice as for two frames;
 * - `positions` [patches, 2]: row and column;
 * - `windows`, int64 [windows, places]: the patch at each place of a window, and any at empty places;
 * - `window_mask` [windows, 1, 1, places]: the score that hides empty places, and 0 for others;
 * - `places`, int64 [patches]: the place of each patch among those of all windows.
 *
 * Output: `image_tokens` [1, tokens, width].
 * @param weights by their names without `visual.`
 * @throws ModelUnsupported when weights are missing
 */
export function qwenVisionGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  { heads, interval } = PUBLISHED,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(asMatrices(weights)));
  const [width = 0, values = 0] = root.at('patch_embed.proj').shape();
  const headWidth = width / heads;
  const turn = rotation(root.at('rotary_pos_emb'), ['positions'], {
    widths: [headWidth / 2, headWidth / 2],
    theta: THETA,
  });
  const unsqueezed = root.op('Unsqueeze', ['pixel_values', root.graph.int64Initializer([0])]);
  let x = linear(root.at('patch_embed.proj'), unsqueezed);
  for (const [index, block] of root.list('blocks').entries()) {
    const isWhole = (index + 1) % interval === 0;
    x = visionBlock(block, x, { width, heads, turn, isWhole });
  }
  const merger = root.at('merger');
  const joined = reshape(merger, rmsNorm(merger.at('ln_q'), x), 1, -1, MERGED * width);
  const inner = gelu(merger, linear(merger.at('mlp.0'), joined));
  root.graph.node('Identity', [linear(merger.at('mlp.2'), inner)], {}, 'image_tokens');
  return root.graph.buildModel(
    [
      { name: 'pixel_values', type: 'float32', shape: ['patches', values] },
      { name: 'positions', type: 'float32', shape: ['patches', 2] },
      { name: 'windows', type: 'int64', shape: ['windows', 'window_places'] },
      { name: 'window_mask', type: 'float32', shape: ['windows', 1, 1, 'window_places'] },
      { name: 'places', type: 'int64', shape: ['patches'] },
    ],
    [{ name: 'image_tokens', type: 'float32', shape: [1, 'tokens', merger.at('mlp.2').shape()[0]!] }],
  );
}

/** The convolution over patches that do not overlap is a product with a matrix. */
function asMatrices(weights: ReadonlyMap<string, StoredTensor>): ReadonlyMap<string, StoredTensor> {
  return new Map(
    [...weights].map(([name, tensor]) => {
      const [rows = 0, ...rest] = tensor.shape;
      const columns = rest.reduce((product, side) => product * side, 1);
      return [name, name === 'patch_embed.proj.weight' ? { ...tensor, shape: [rows, columns] } : tensor];
    }),
  );
}

interface BlockInputs {
  width: number;
  heads: number;
  turn: Rotation;
  isWhole: boolean;
}

function visionBlock(m: NetworkModule, x: Value, block: BlockInputs): Value {
  const seen = add(m, x, visionAttention(m.at('attn'), rmsNorm(m.at('norm1'), x), block));
  const mlp = m.at('mlp');
  const normed = rmsNorm(m.at('norm2'), seen);
  const gate = silu(mlp, linear(mlp.at('gate_proj'), normed));
  return add(m, seen, linear(mlp.at('down_proj'), multiply(mlp, gate, linear(mlp.at('up_proj'), normed))));
}

function visionAttention(m: NetworkModule, x: Value, { width, heads, turn, isWhole }: BlockInputs): Value {
  const all = linear(m.at('qkv'), x);
  const [query, key, value] = [0, 1, 2].map((part) => slice(m, all, -1, part * width, (part + 1) * width));
  const projected = [turned(m, query!, turn), turned(m, key!, turn), value!] as const;
  if (isWhole) return linear(m.at('proj'), attend(m, projected, width, { heads }));
  // [1, patches, width] to [windows, places, width].
  const inWindows = (tokens: Value) =>
    m.op('Gather', [reshape(m, tokens, -1, width), 'windows'], { axis: 0 });
  const windows = [inWindows(projected[0]), inWindows(projected[1]), inWindows(projected[2])] as const;
  const mixed = attend(m, windows, width, { heads, isDecomposed: true, mask: 'window_mask' });
  const back = m.op('Gather', [reshape(m, mixed, -1, width), 'places'], { axis: 0 });
  return linear(m.at('proj'), m.op('Unsqueeze', [back, m.graph.int64Initializer([0])]));
}

/** Turns the pairs of columns at i and i + half of each head. */
const turned = (m: NetworkModule, x: Value, { cosines, sines }: Rotation): Value =>
  m.op('com.microsoft.RotaryEmbedding', [x, m.graph.int64Initializer([0]), cosines, sines], {
    interleaved: 0,
  });
