/** Self-attention that asks for merged tokens, as nodes of a graph. */
import type { OnnxOutline } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';
import type { AttentionNodes } from './attention-nodes.ts';
import { NodeBuilder } from './node-builder.ts';
import { recomputeAttentionShapes } from './runtime-shapes.ts';

/** Names of what is fed, whole numbers all. */
export interface TomeInputs {
  /** Tokens: sources, then targets. */
  order: string;
  /** The place of each token in that order. */
  places: string;
  /** Of targets, and of sources that are merged. */
  counts: string;
}

/** Where tokens are not as many as the latent's size says, none is merged. */
export function tomeInsertions(
  outline: OnnxOutline,
  attention: AttentionNodes,
  inputs: TomeInputs,
  prefix: string,
): GraphInsertion[] {
  /** [batch, tokens]: where each token's answer is among those of the merged ones. */
  const answers = `${prefix} answers`;
  /** How many those are. */
  const asked = `${prefix} asked`;
  return [
    {
      at: { node: attention.query, input: 0 },
      parts(from, to) {
        const chain = new NodeBuilder(outline, prefix);
        const zero = chain.ints(0);
        const tokens = chain.sizes(from, 1, 2);
        const batch = chain.sizes(from, 0, 1);
        const { order, places, targets, merged } = fitted(chain, inputs, tokens);
        const sources = chain.op('Sub', [tokens, targets]);
        const ordered = chain.op('Gather', [from, order], { axis: 1 });
        const [source, target] = [
          chain.slice(ordered, zero, sources, 1),
          chain.slice(ordered, sources, tokens, 1),
        ];

        // The cosine of each source with each target; the best of each source, and sources by how good that is.
        const likeness = chain.op('MatMul', [
          directions(chain, source),
          chain.op('Transpose', [directions(chain, target)], { perm: [0, 2, 1] }),
        ]);
        const [best, which] = [
          chain.reduce('ReduceMax', likeness, 2),
          chain.op('ArgMax', [likeness], { axis: 2 }),
        ];
        const flat = chain.concat(batch, sources);
        const numbers = chain.op('Expand', [chain.range(sources), flat]);
        const [, likest] = chain.pair('TopK', [chain.toFloat32(chain.op('Reshape', [best, flat])), sources], {
          axis: 1,
        });
        // Where none is merged, tokens stay where they are.
        const merges = chain.op('Less', [zero, merged]);
        const ranking = chain.op('Where', [merges, likest, numbers]);
        const wanted = chain.op('Reshape', [which, flat]);
        // Products over nothing fail on GPUs: there is one at least, which counts for nothing where none is merged.
        const some = chain.op('Max', [merged, chain.ints(1)]);
        const mergedSources = chain.slice(ranking, zero, some, 1);
        const mergedTargets = chain.op('GatherElements', [wanted, mergedSources], { axis: 1 });

        const sorted = taken(chain, source, ranking);
        const [joining, alone] = [
          chain.slice(sorted, zero, some, 1),
          chain.slice(sorted, merged, sources, 1),
        ];
        // In floats, which a GPU compares.
        const isTo = chain.op('Equal', [
          chain.op('Unsqueeze', [chain.cast(chain.range(targets), 'F32'), chain.ints(1)]),
          chain.op('Unsqueeze', [chain.cast(mergedTargets, 'F32'), chain.ints(1)]),
        ]);
        const shares = chain.op('Mul', [
          chain.cast(isTo, chain.activationType),
          chain.cast(merges, chain.activationType),
        ]);
        const sum = chain.op('Add', [target, chain.op('MatMul', [shares, joining])]);
        const count = chain.op('Add', [chain.reduce('ReduceSum', shares, 2), chain.constant([], [1])]);
        chain.op('Concat', [alone, chain.op('Div', [sum, count])], { axis: 1 }, to);

        const left = chain.op('Sub', [sources, merged]);
        chain.op('Add', [left, targets], {}, asked);
        const rank = chain.op('ScatterElements', [numbers, ranking, numbers], { axis: 1 });
        const ofSources = chain.op('Where', [
          chain.op('Less', [rank, merged]),
          chain.op('Add', [wanted, left]),
          chain.op('Sub', [rank, merged]),
        ]);
        const ofTargets = chain.op('Expand', [
          chain.op('Add', [chain.range(targets), left]),
          chain.concat(batch, targets),
        ]);
        const both = chain.op('Concat', [ofSources, ofTargets], { axis: 1 });
        chain.op('Gather', [both, places], { axis: 1 }, answers);
        return chain.fields;
      },
    },
    {
      at: { node: attention.out, input: 0 },
      parts(from, to) {
        const chain = new NodeBuilder(outline, `${prefix} back`);
        taken(chain, from, fittingAnswers(chain, from, answers, asked), to);
        return chain.fields;
      },
    },
    ...recomputeAttentionShapes(outline, attention),
  ];
}

/** What is not what was asked, as another merging went before, stays as it is. */
function fittingAnswers(chain: NodeBuilder, given: string, answers: string, asked: string): string {
  const [tokens, all] = [chain.sizes(given, 1, 2), chain.sizes(answers, 1, 2)];
  const isAsked = chain.op('Equal', [tokens, asked]);
  const own = chain.op('Expand', [chain.range(tokens), chain.sizes(given, 0, 2)]);
  const start = chain.op('Where', [isAsked, chain.ints(0), all]);
  const end = chain.op('Where', [isAsked, all, chain.op('Add', [all, tokens])]);
  return chain.slice(chain.op('Concat', [answers, own], { axis: 1 }), start, end, 1);
}

/** What is fed, or what merges nothing. Lists of whole numbers all. */
function fitted(chain: NodeBuilder, inputs: TomeInputs, tokens: string) {
  const all = chain.op('Shape', [inputs.order]);
  const fits = chain.op('Equal', [tokens, all]);
  const start = chain.op('Where', [fits, chain.ints(0), all]);
  const end = chain.op('Add', [start, tokens]);
  const own = chain.range(tokens);
  const counts = chain.op('Where', [fits, inputs.counts, chain.ints(1, 0)]);
  const chosen = (input: string) => chain.slice(chain.concat(input, own), start, end, 0);
  return {
    order: chosen(inputs.order),
    places: chosen(inputs.places),
    targets: chain.slice(counts, chain.ints(0), chain.ints(1), 0),
    merged: chain.slice(counts, chain.ints(1), chain.ints(2), 0),
  };
}

/** Each token divided by its length. */
function directions(chain: NodeBuilder, value: string): string {
  const precise = chain.toFloat32(value);
  const squares = chain.reduce('ReduceSum', chain.op('Mul', [precise, precise]), 2);
  const length = chain.op('Max', [chain.op('Sqrt', [squares]), chain.float(1e-12)]);
  return chain.toActivationType(chain.op('Div', [precise, length]));
}

/** Of [batch, tokens, width] those at [batch, places]. Rows of all pictures one after another, as places are few beside numbers. */
function taken(chain: NodeBuilder, value: string, places: string, output?: string): string {
  const [batch, tokens, width] = [0, 1, 2].map((axis) => chain.sizes(value, axis, axis + 1)) as [
    string,
    string,
    string,
  ];
  const rows = chain.op('Reshape', [value, chain.concat(chain.ints(-1), width)]);
  const starts = chain.op('Unsqueeze', [chain.op('Mul', [chain.range(batch), tokens]), chain.ints(1)]);
  return chain.op('Gather', [rows, chain.op('Add', [places, starts])], { axis: 0 }, output);
}
