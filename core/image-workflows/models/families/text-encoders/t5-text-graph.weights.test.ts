/** T5's encoder in the real runtime, compared with its formulas (Raffel et al., 2020) in 64-bit floats. */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  added,
  attended,
  headOf,
  projected,
  rmsNormed,
  rowsOf,
  tanhGelu,
  type Vectors,
  type Weights,
} from '#test/support/model-files/reference-network.ts';
import { t5Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { readWeightFile } from '../../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { t5TextGraph } from './t5-text-graph.ts';

const HEADS = 4;
const never = new AbortController().signal;
const host = await weightsHost();

async function encode(name: string, weights: Weights, ids: readonly number[], mask: readonly number[]) {
  const path = `models/text_encoders/${name}.safetensors`;
  await writeWeights(host.files, path, weights);
  const file = await readWeightFile(host.files, path);
  const graph = new WeightFileGraphs(host, file).graph('t5', file.table, () => t5TextGraph(file.table));
  const session = await graph.session(never);
  const input = (values: readonly number[]) => ({
    type: 'int64' as const,
    shape: [1, values.length],
    data: BigInt64Array.from(values, BigInt),
  });
  const outputs = await session.run({ input_ids: input(ids), attention_mask: input(mask) }, never);
  return outputs.last_hidden_state!.data as Float32Array;
}

/** By the definition: distances up to 7 have a bucket each, longer ones share 8 that grow by powers up to 128. */
function bucketOf(distance: number): number {
  const side = distance > 0 ? 16 : 0;
  const steps = Math.abs(distance);
  if (steps < 8) return side + steps;
  return side + Math.min(15, 8 + Math.floor((Math.log2(steps / 8) / Math.log2(16)) * 8 + 1e-9));
}

function reference(weights: Weights, ids: readonly number[], mask: readonly number[]): Vectors {
  const table = rowsOf(weights['shared.weight']!);
  let x = ids.map((id) => table[id]!);
  for (let layer = 0; `encoder.block.${layer}.layer.0.layer_norm.weight` in weights; layer++) {
    const block = `encoder.block.${layer}`;
    const biasName = (at: number) =>
      `encoder.block.${at}.layer.0.SelfAttention.relative_attention_bias.weight`;
    const bias = rowsOf(weights[biasName(layer)] ?? weights[biasName(0)]!);
    const normed = rmsNormed(weights, `${block}.layer.0.layer_norm`, x);
    const [query, key, value] = ['q', 'k', 'v'].map((part) =>
      projected(weights, `${block}.layer.0.SelfAttention.${part}`, normed),
    ) as [Vectors, Vectors, Vectors];
    const width = query[0]!.length / HEADS;
    const heads = Array.from({ length: HEADS }, (_, head) =>
      attended(
        [headOf(query, head, width), headOf(key, head, width), headOf(value, head, width)],
        (product, q, k) => (mask[k] === 0 ? -Infinity : product + bias[bucketOf(k - q)]![head]!),
      ),
    );
    const mixed = x.map((_, token) => heads.flatMap((head) => head[token]!));
    x = added(x, projected(weights, `${block}.layer.0.SelfAttention.o`, mixed));
    x = added(x, feedForward(weights, block, x));
  }
  return rmsNormed(weights, 'encoder.final_layer_norm', x);
}

function feedForward(weights: Weights, block: string, x: Vectors): Vectors {
  const name = `${block}.layer.1.DenseReluDense`;
  const normed = rmsNormed(weights, `${block}.layer.1.layer_norm`, x);
  const first = projected(weights, `${name}.${`${name}.wi_0.weight` in weights ? 'wi_0' : 'wi'}`, normed);
  if (`${name}.wi.weight` in weights)
    return projected(
      weights,
      `${name}.wo`,
      first.map((row) => row.map((value) => Math.max(0, value))),
    );
  const second = projected(weights, `${name}.wi_1`, normed);
  return projected(
    weights,
    `${name}.wo`,
    first.map((row, at) => row.map((value, i) => tanhGelu(value) * second[at]![i]!)),
  );
}

const ids = Array.from({ length: 150 }, (_, at) => (at * 7) % 40);

test.each([
  ['version 1.1', { isGated: true, isShared: true }],
  ['version 1', { isGated: false, isShared: true }],
  ['UMT5, whose layers have a table of distances each', { isGated: true, isShared: false }],
])('%s', { timeout: 120_000 }, async (name, options) => {
  const weights = weightsFor(t5Shapes({ layers: 2, width: 24, heads: HEADS, ...options }));
  for (const shown of [150, 120]) {
    const mask = ids.map((_, at) => (at < shown ? 1 : 0));
    const actual = await encode(name.slice(0, 9), weights, ids, mask);
    const expected = reference(weights, ids, mask).flat();
    expect(actual).toHaveLength(expected.length);
    const worst = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - actual[i]!)), 0);
    expect(worst).toBeLessThan(1e-5);
  }
});
