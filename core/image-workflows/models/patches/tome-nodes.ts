/** Token merging around one self-attention module, as insertions. */
import type { OnnxOutline } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';
import type { AttentionNodes } from './attention-nodes.ts';
import { NodeBuilder } from './node-builder.ts';
import { recomputeAttentionShapes } from './runtime-shapes.ts';

/** Names of graph inputs, which are lists of integers. */
export interface TomeInputs {
  /** Token numbers: all sources, then all targets. */
  order: string;
  /** The position of each token in that order. */
  positions: string;
  /** The number of targets, and the number of sources to merge. */
  counts: string;
}

/** Merges tokens before the query projection, and copies results after attention. */
export function tomeInsertions(
  outline: OnnxOutline,
  attention: AttentionNodes,
  inputs: TomeInputs,
  prefix: string,
): GraphInsertion[] {
  // The first insertion computes both values, the second one uses them.
  const results: MergedResults = { indices: `${prefix} answers`, count: `${prefix} asked` };
  return [
    {
      at: { node: attention.query, input: 0 },
      parts(from, to) {
        const builder = new NodeBuilder(outline, prefix);
        mergeTokens(builder, from, inputs, results, to);
        return builder.fields;
      },
    },
    {
      at: { node: attention.out, input: 0 },
      parts(from, to) {
        const builder = new NodeBuilder(outline, `${prefix} back`);
        gatherRows(builder, from, resultIndices(builder, from, results), to);
        return builder.fields;
      },
    },
    ...recomputeAttentionShapes(outline, attention),
  ];
}

/** Names of values that connect both insertions. */
interface MergedResults {
  /** [batch, tokens]: the index of each token's result among those of the merged tokens. */
  indices: string;
  /** The number of merged tokens, as a list of one integer. */
  count: string;
}

function mergeTokens(
  builder: NodeBuilder,
  from: string,
  inputs: TomeInputs,
  results: MergedResults,
  to: string,
): void {
  const zero = builder.ints(0);
  const tokens = builder.sizes(from, 1, 2);
  const batch = builder.sizes(from, 0, 1);
  const { order, positions, targets, merged } = fitInputs(builder, inputs, tokens);
  const sources = builder.op('Sub', [tokens, targets]);
  const ordered = builder.op('Gather', [from, order], { axis: 1 });
  const source = builder.slice(ordered, zero, sources, 1);
  const target = builder.slice(ordered, sources, tokens, 1);

  // The cosine of each source and each target, the best target of each source, and the ranking of the sources.
  const similarity = builder.op('MatMul', [
    normalize(builder, source),
    builder.op('Transpose', [normalize(builder, target)], { perm: [0, 2, 1] }),
  ]);
  const best = builder.reduce('ReduceMax', similarity, 2);
  const bestTarget = builder.op('ArgMax', [similarity], { axis: 2 });
  const flat = builder.concat(batch, sources);
  const sourceNumbers = builder.op('Expand', [builder.range(sources), flat]);
  const bestFlat = builder.toFloat32(builder.op('Reshape', [best, flat]));
  const [, mostSimilar] = builder.pair('TopK', [bestFlat, sources], { axis: 1 });
  // Without merging, the sources keep their order.
  const isMerging = builder.op('Less', [zero, merged]);
  const ranking = builder.op('Where', [isMerging, mostSimilar, sourceNumbers]);
  const targetOf = builder.op('Reshape', [bestTarget, flat]);
  // GPUs cannot multiply empty matrices, so at least one source is used. Without merging, its weight is 0.
  const count = builder.op('Max', [merged, builder.ints(1)]);
  const mergedSources = builder.slice(ranking, zero, count, 1);
  const mergedTargets = builder.op('GatherElements', [targetOf, mergedSources], { axis: 1 });

  // The mean of each target and of the sources that are merged into it.
  const ranked = gatherRows(builder, source, ranking);
  const merging = builder.slice(ranked, zero, count, 1);
  const unmerged = builder.slice(ranked, merged, sources, 1);
  // Compared as floats, because GPUs do not compare 64-bit integers.
  const isTarget = builder.op('Equal', [
    builder.op('Unsqueeze', [builder.cast(builder.range(targets), 'F32'), builder.ints(1)]),
    builder.op('Unsqueeze', [builder.cast(mergedTargets, 'F32'), builder.ints(1)]),
  ]);
  const weights = builder.op('Mul', [
    builder.cast(isTarget, builder.activationType),
    builder.cast(isMerging, builder.activationType),
  ]);
  const sum = builder.op('Add', [target, builder.op('MatMul', [weights, merging])]);
  const total = builder.op('Add', [builder.reduce('ReduceSum', weights, 2), builder.constant([], [1])]);
  builder.op('Concat', [unmerged, builder.op('Div', [sum, total])], { axis: 1 }, to);

  // The result of a merged source is that of its target. The unmerged sources come first.
  const unmergedCount = builder.op('Sub', [sources, merged]);
  builder.op('Add', [unmergedCount, targets], {}, results.count);
  const rank = builder.op('ScatterElements', [sourceNumbers, ranking, sourceNumbers], { axis: 1 });
  const sourceResults = builder.op('Where', [
    builder.op('Less', [rank, merged]),
    builder.op('Add', [targetOf, unmergedCount]),
    builder.op('Sub', [rank, merged]),
  ]);
  const targetResults = builder.op('Expand', [
    builder.op('Add', [builder.range(targets), unmergedCount]),
    builder.concat(batch, targets),
  ]);
  const orderedResults = builder.op('Concat', [sourceResults, targetResults], { axis: 1 });
  builder.op('Gather', [orderedResults, positions], { axis: 1 }, results.indices);
}

/** The identity when attention did not run on the merged tokens, because an earlier merging replaced them. */
function resultIndices(builder: NodeBuilder, value: string, { indices, count }: MergedResults): string {
  const [tokens, all] = [builder.sizes(value, 1, 2), builder.sizes(indices, 1, 2)];
  const isMerged = builder.op('Equal', [tokens, count]);
  const identity = builder.op('Expand', [builder.range(tokens), builder.sizes(value, 0, 2)]);
  const start = builder.op('Where', [isMerged, builder.ints(0), all]);
  const end = builder.op('Where', [isMerged, all, builder.op('Add', [all, tokens])]);
  return builder.slice(builder.op('Concat', [indices, identity], { axis: 1 }), start, end, 1);
}

/** The graph inputs, or values that merge nothing when the number of tokens differs from the latent's size. */
function fitInputs(builder: NodeBuilder, inputs: TomeInputs, tokens: string) {
  const all = builder.op('Shape', [inputs.order]);
  const fits = builder.op('Equal', [tokens, all]);
  const start = builder.op('Where', [fits, builder.ints(0), all]);
  const end = builder.op('Add', [start, tokens]);
  const identity = builder.range(tokens);
  const counts = builder.op('Where', [fits, inputs.counts, builder.ints(1, 0)]);
  const choose = (input: string) => builder.slice(builder.concat(input, identity), start, end, 0);
  return {
    order: choose(inputs.order),
    positions: choose(inputs.positions),
    targets: builder.slice(counts, builder.ints(0), builder.ints(1), 0),
    merged: builder.slice(counts, builder.ints(1), builder.ints(2), 0),
  };
}

/** Divides each token by its length. */
function normalize(builder: NodeBuilder, value: string): string {
  const precise = builder.toFloat32(value);
  const squares = builder.reduce('ReduceSum', builder.op('Mul', [precise, precise]), 2);
  const length = builder.op('Max', [builder.op('Sqrt', [squares]), builder.float(1e-12)]);
  return builder.toActivationType(builder.op('Div', [precise, length]));
}

/**
 * The tokens of [batch, tokens, width] with the indices [batch, count]. All images are flattened to one list of rows, so
 * that each index selects a whole row.
 */
function gatherRows(builder: NodeBuilder, value: string, indices: string, output?: string): string {
  const batch = builder.sizes(value, 0, 1);
  const tokens = builder.sizes(value, 1, 2);
  const width = builder.sizes(value, 2, 3);
  const rows = builder.op('Reshape', [value, builder.concat(builder.ints(-1), width)]);
  const starts = builder.op('Unsqueeze', [
    builder.op('Mul', [builder.range(batch), tokens]),
    builder.ints(1),
  ]);
  return builder.op('Gather', [rows, builder.op('Add', [indices, starts])], { axis: 0 }, output);
}
