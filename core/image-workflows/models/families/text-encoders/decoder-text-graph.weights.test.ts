/** Language models in the real runtime, compared with their formulas in 64-bit floats. */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  added,
  attended,
  headOf,
  projected,
  rmsNormed,
  rowsOf,
  silu,
  tanhGelu,
  type Vectors,
  type Weights,
} from '#test/support/model-files/reference-network.ts';
import { decoderShapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { readWeightFile } from '../../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { type DecoderNetwork, decoderTextGraph } from './decoder-text-graph.ts';

const WIDTH = 12;
const HEADS = 4;
const GROUPS = 2;
const never = new AbortController().signal;
const host = await weightsHost();

async function encode(
  name: string,
  weights: Weights,
  network: DecoderNetwork,
  [ids, mask]: readonly [readonly number[], readonly number[]],
) {
  const path = `models/text_encoders/${name}.safetensors`;
  await writeWeights(host.files, path, weights);
  const file = await readWeightFile(host.files, path);
  const graphs = new WeightFileGraphs(host, file);
  const session = await graphs
    .graph('decoder', file.table, () => decoderTextGraph(file.table, network))
    .session(never);
  const input = (values: readonly number[]) => ({
    type: 'int64' as const,
    shape: [1, values.length],
    data: BigInt64Array.from(values, BigInt),
  });
  return session.run({ input_ids: input(ids), attention_mask: input(mask) }, never);
}

/** Each pair (i, i + half) of a head as a complex number, times e^(i · position · base^(-2i / width)). */
const turned = (head: Vectors, base: number): Vectors =>
  head.map((vector, position) => {
    const half = vector.length / 2;
    return vector.map((value, i) => {
      const angle = position * base ** ((-2 * (i % half)) / vector.length);
      const other = i < half ? -vector[i + half]! : vector[i - half]!;
      return value * Math.cos(angle) + other * Math.sin(angle);
    });
  });

function attention(
  weights: Weights,
  name: string,
  x: Vectors,
  network: DecoderNetwork,
  mask: readonly number[],
) {
  const { headWidth, base, epsilon = 1e-6 } = network;
  const parts = { q: projected(weights, `${name}.q_proj`, x), k: projected(weights, `${name}.k_proj`, x) };
  const values = projected(weights, `${name}.v_proj`, x);
  const prepared = (part: 'q' | 'k', head: number) => {
    const own = headOf(parts[part], head, headWidth);
    const norm = `${name}.${part}_norm`;
    return turned(`${norm}.weight` in weights ? rmsNormed(weights, norm, own, { epsilon }) : own, base);
  };
  const heads = Array.from({ length: HEADS }, (_, head) => {
    const group = Math.floor(head / (HEADS / GROUPS));
    return attended(
      [prepared('q', head), prepared('k', group), headOf(values, group, headWidth)],
      (product, q, k) => (k > q || mask[k] === 0 ? -Infinity : product / Math.sqrt(headWidth)),
    );
  });
  return projected(
    weights,
    `${name}.o_proj`,
    x.map((_, token) => heads.flatMap((head) => head[token]!)),
  );
}

function reference(
  weights: Weights,
  network: DecoderNetwork,
  ids: readonly number[],
  mask: readonly number[],
) {
  const { normOffset: offset = 0, epsilon = 1e-6 } = network;
  const norm = (name: string, x: Vectors) => rmsNormed(weights, name, x, { offset, epsilon });
  const table = rowsOf(weights['model.embed_tokens.weight']!);
  const scale = network.scalesTokens ? Math.sqrt(WIDTH) : 1;
  const states = [ids.map((id) => table[id]!.map((value) => value * scale))];
  for (let index = 0; `model.layers.${index}.input_layernorm.weight` in weights; index++) {
    const layer = `model.layers.${index}`;
    const isGemma = `${layer}.pre_feedforward_layernorm.weight` in weights;
    const x = states.at(-1)!;
    const mixed = attention(
      weights,
      `${layer}.self_attn`,
      norm(`${layer}.input_layernorm`, x),
      network,
      mask,
    );
    const first = added(x, isGemma ? norm(`${layer}.post_attention_layernorm`, mixed) : mixed);
    const inner = norm(`${layer}.${isGemma ? 'pre_feedforward' : 'post_attention'}_layernorm`, first);
    const gates = projected(weights, `${layer}.mlp.gate_proj`, inner);
    const ups = projected(weights, `${layer}.mlp.up_proj`, inner);
    const activation = network.activation === 'gelu' ? tanhGelu : silu;
    const fed = projected(
      weights,
      `${layer}.mlp.down_proj`,
      gates.map((row, at) => row.map((value, i) => activation(value) * ups[at]![i]!)),
    );
    states.push(added(first, isGemma ? norm(`${layer}.post_feedforward_layernorm`, fed) : fed));
  }
  return { states, last: norm('model.norm', states.at(-1)!) };
}

const ids = [2, 5, 7, 5, 1, 0, 0, 9];
const mask = [1, 1, 1, 1, 1, 0, 0, 1];

test.each<[string, DecoderNetwork, { hasBias?: boolean; hasFourNorms?: boolean; hasHeadNorms?: boolean }]>([
  [
    'gemma2',
    { headWidth: 8, base: 10000, activation: 'gelu', normOffset: 1, scalesTokens: true },
    { hasFourNorms: true },
  ],
  ['qwen2.5', { headWidth: 8, base: 1000000, activation: 'silu' }, { hasBias: true }],
  ['qwen3', { headWidth: 6, base: 1000000, activation: 'silu' }, { hasHeadNorms: true }],
  ['llama3', { headWidth: 8, base: 500000, activation: 'silu', epsilon: 1e-5 }, {}],
])('%s', { timeout: 60_000 }, async (name, network, options) => {
  const { headWidth } = network;
  const shapes = decoderShapes({
    layers: 2,
    width: WIDTH,
    headWidth,
    heads: HEADS,
    groups: GROUPS,
    ...options,
  });
  const weights = weightsFor(shapes);
  const outputs = await encode(name, weights, network, [ids, mask]);
  const { states, last } = reference(weights, network, ids, mask);
  const expected = { last_hidden_state: last, 'hidden_states.0': states[0]!, 'hidden_states.2': states[2]! };
  for (const [output, vectors] of Object.entries(expected)) {
    const actual = outputs[output]!.data as Float32Array;
    const flat = vectors.flat();
    expect(actual).toHaveLength(flat.length);
    const worst = flat.reduce((most, value, i) => Math.max(most, Math.abs(value - actual[i]!)), 0);
    expect(worst).toBeLessThan(1e-5);
  }
});
