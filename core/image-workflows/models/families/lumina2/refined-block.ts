/** A transformer block with norms before and after its layers (Qin et al., "Lumina-Image 2.0", 2025, figure 3). */
import { attend } from '../../layers/attention.ts';
import { add, concat, multiply, reshape, silu, slice } from '../../layers/elementary.ts';
import { swiGluFeedForward } from '../../layers/feed-forward.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate } from '../../layers/rotary.ts';

const EPSILON = 1e-5;

interface BlockInputs {
  turn: Rotation;
  /** The embedding of the timestep. Undefined: the block does not see it. */
  time?: Value;
}

/** @param m with `time`, has the projection `adaLN_modulation.1`, or without an activation before it `adaLN_modulation.0` */
export function refinedBlock(m: NetworkModule, x: Value, { turn, time }: BlockInputs): Value {
  const parts = time === undefined ? [] : modulations(m, time);
  const layer = (stream: Value, kind: string, part: number, change: (normed: Value) => Value): Value => {
    const [scale, gate] = parts.slice(2 * part);
    const normed = rmsNorm(m.at(`${kind}_norm1`), stream, { epsilon: EPSILON });
    const changed = change(scale === undefined ? normed : multiply(m, normed, scale));
    const after = rmsNorm(m.at(`${kind}_norm2`), changed, { epsilon: EPSILON });
    return add(m, stream, gate === undefined ? after : multiply(m, after, gate));
  };
  const seen = layer(x, 'attention', 0, (normed) => selfAttention(m.at('attention'), normed, turn));
  return layer(seen, 'ffn', 1, (normed) => swiGluFeedForward(m.at('feed_forward'), normed));
}

/** Factor and gate of the attention, and of the feed-forward network. */
function modulations(m: NetworkModule, time: Value): Value[] {
  const plain = m.at('adaLN_modulation.0');
  const projection = plain.exists() ? plain : m.at('adaLN_modulation.1');
  const all = linear(projection, plain.exists() ? time : silu(m, time));
  const width = projection.shape()[0]! / 4;
  return Array.from({ length: 4 }, (_, at) => {
    const part = slice(m, all, -1, at * width, (at + 1) * width);
    return at % 2 === 0 ? add(m, part, m.graph.scalarInitializer(1)) : m.op('Tanh', [part]);
  });
}

/** Several heads can share keys and values (Ainslie et al., "GQA", 2023). */
function selfAttention(m: NetworkModule, x: Value, turn: Rotation): Value {
  const [size = 0] = m.at('q_norm').shape();
  const [rows = 0] = m.at('qkv').shape();
  const [, width = 0] = m.at('out').shape();
  const shared = (rows - width) / 2;
  const all = linear(m.at('qkv'), x);
  const normed = (name: string, part: Value) => {
    const heads = rmsNorm(m.at(name), reshape(m, part, 0, 0, -1, size), { epsilon: EPSILON });
    return rotate(m, reshape(m, heads, 0, 0, -1), turn);
  };
  const query = normed('q_norm', slice(m, all, -1, 0, width));
  const key = normed('k_norm', slice(m, all, -1, width, width + shared));
  const value = slice(m, all, -1, width + shared, rows);
  const times = width / shared;
  const projected = [query, repeatHeads(m, key, size, times), repeatHeads(m, value, size, times)] as const;
  return linear(m.at('out'), attend(m, projected, width, { heads: width / size }));
}

/** Each head of [batch, tokens, width] several times, one next to the other. */
export function repeatHeads(m: NetworkModule, x: Value, size: number, times: number): Value {
  if (times === 1) return x;
  const heads = reshape(m, x, 0, 0, -1, 1, size);
  return reshape(m, concat(m, 3, ...Array<Value>(times).fill(heads)), 0, 0, -1);
}
