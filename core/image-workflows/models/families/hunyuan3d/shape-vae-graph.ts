/**
 * The decoder of shapes of Hunyuan3D 2 as two ONNX models: one for the latents of a shape, and one for points in space.
 * Source: Tencent, "Hunyuan3D 2.0", 2025, section 3.1; it follows Zhang et al., "3DShape2VecSet", 2023.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, concat, gelu, reshape, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';

const HEAD_WIDTH = 64;
const EPSILON = 1e-6;
/** Each coordinate comes with its sines and cosines at 1, 2, 4, … times the frequency. */
const OCTAVES = 8;

type Weights = ReadonlyMap<string, StoredTensor>;

/**
 * Input: `latent_sample` [batch, cells, channels]. Outputs: `keys` and `values` [batch, cells, width], which points attend
 * to.
 * @throws ModelUnsupported when weights are missing
 */
export function shapeLatentGraph(weights: Weights): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [, channels = 0] = root.at('post_kl').shape();
  let x = linear(root.at('post_kl'), 'latent_sample');
  for (const m of root.at('transformer').list('resblocks')) {
    const attention = m.at('attn');
    const [query, key, value] = perHead(attention, linear(attention.at('c_qkv'), norm(m.at('ln_1'), x)), 3);
    const mixed = mix(attention, [
      headNorm(attention, 'q_norm', query!),
      headNorm(attention, 'k_norm', key!),
      value!,
    ]);
    const seen = add(m, x, linear(attention.at('c_proj'), mixed));
    x = add(m, seen, feedForward(m.at('mlp'), norm(m.at('ln_2'), seen)));
  }
  const decoder = root.at('geo_decoder');
  const cells = decoder.at('latents_proj').exists() ? linear(decoder.at('latents_proj'), x) : x;
  const cross = decoder.at('cross_attn_decoder');
  const attention = cross.at('attn');
  const [key, value] = perHead(attention, linear(attention.at('c_kv'), norm(cross.at('ln_2'), cells)), 2);
  const width = attention.at('c_kv').shape()[0]! / 2;
  const outputs = { keys: headNorm(attention, 'k_norm', key!), values: value! };
  for (const [name, heads] of Object.entries(outputs))
    root.graph.node('Identity', [reshape(root, heads, 0, 0, width)], {}, name);
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['batch', 'cells', channels] }],
    ['keys', 'values'].map((name) => ({ name, type: 'float32', shape: ['batch', 'cells', width] })),
  );
}

/**
 * Inputs: `points` [1, points, 3], and the outputs of the other graph. Output: `density` [1, points, 1], above 0 inside of
 * the shape.
 * @throws ModelUnsupported when weights are missing
 */
export function shapePointGraph(weights: Weights): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const m = root.at('geo_decoder');
  const cross = m.at('cross_attn_decoder');
  const attention = cross.at('attn');
  const x = linear(m.at('query_proj'), waves(m));
  const [query] = perHead(attention, linear(attention.at('c_q'), norm(cross.at('ln_1'), x)), 1);
  const [width = 0] = attention.at('c_q').shape();
  const asHeads = (value: Value) => reshape(attention, value, 0, 0, -1, HEAD_WIDTH);
  const mixed = mix(attention, [headNorm(attention, 'q_norm', query!), asHeads('keys'), asHeads('values')]);
  const seen = add(cross, x, linear(attention.at('c_proj'), mixed));
  const fed = add(cross, seen, feedForward(cross.at('mlp'), norm(cross.at('ln_3'), seen)));
  const last = m.at('ln_post').exists() ? layerNorm(m.at('ln_post'), fed) : fed;
  root.graph.node('Identity', [linear(m.at('output_proj'), last)], {}, 'density');
  const cells = (name: string) => ({ name, type: 'float32' as const, shape: [1, 'cells', width] });
  return root.graph.buildModel(
    [{ name: 'points', type: 'float32', shape: [1, 'points', 3] }, cells('keys'), cells('values')],
    [{ name: 'density', type: 'float32', shape: [1, 'points', 1] }],
  );
}

const norm = (m: NetworkModule, x: Value): Value => layerNorm(m, x, EPSILON);

const feedForward = (m: NetworkModule, x: Value): Value =>
  linear(m.at('c_proj'), gelu(m, linear(m.at('c_fc'), x)));

/** The rows of a projection belong to one head after another: parts of [batch, tokens, heads, width of a head]. */
function perHead(m: NetworkModule, x: Value, count: number): Value[] {
  const heads = reshape(m, x, 0, 0, -1, count * HEAD_WIDTH);
  if (count === 1) return [heads];
  return Array.from({ length: count }, (_, at) =>
    slice(m, heads, -1, at * HEAD_WIDTH, (at + 1) * HEAD_WIDTH),
  );
}

function headNorm(m: NetworkModule, name: string, heads: Value): Value {
  const inner = m.at(`attention.${name}`);
  return inner.exists() ? norm(inner, heads) : heads;
}

function mix(m: NetworkModule, heads: readonly [Value, Value, Value]): Value {
  const [width = 0] = m.at('c_proj').shape();
  const joined = heads.map((each) => reshape(m, each, 0, 0, width)) as [Value, Value, Value];
  return attend(m, joined, width, { heads: width / HEAD_WIDTH });
}

/** [1, points, 3 + 6 · octaves]: the coordinates, then all sines of each coordinate, then all cosines. */
function waves(m: NetworkModule): Value {
  const octaves = m.constant(
    'octaves',
    [OCTAVES],
    Array.from({ length: OCTAVES }, (_, at) => 2 ** at),
  );
  const angles = m.op('Mul', [m.op('Unsqueeze', ['points', m.graph.int64Initializer([3])]), octaves]);
  const flat = reshape(m, angles, 0, 0, 3 * OCTAVES);
  return concat(m, -1, 'points', m.op('Sin', [flat]), m.op('Cos', [flat]));
}
