/** Attention inside of tiles, as nodes of a graph. */
import type { OnnxOutline } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';
import type { AttentionNodes } from './attention-nodes.ts';
import { NodeBuilder } from './node-builder.ts';
import { recomputeAttentionShapes } from './runtime-shapes.ts';

/** Before the matrices [batch, tokens, width] becomes [batch x tiles, tokens of one, width], and after them it goes back. */
export function tileAttention(
  outline: OnnxOutline,
  attention: AttentionNodes,
  input: string,
  index: number,
): GraphInsertion[] {
  const { query, key, value, out } = attention;
  const taken = query.inputs[0]!;
  if (key.inputs[0] !== taken || value.inputs[0] !== taken)
    throw new Error(
      `HyperTile: the matrices of ${attention.module} in this model's graph take different values, as after an optimization. Use a UNet as "optimum-cli export onnx" makes it`,
    );
  /** Rows of tiles, columns of tiles, height and width of one. */
  const tiles = `${input} ${index}`;
  return [
    {
      at: { value: taken },
      parts(from, to) {
        const chain = new NodeBuilder(outline, `${tiles} in`);
        const wanted = chain.op('Gather', [input, chain.int(index)]);
        const [counts, size] = [
          chain.slice(wanted, ...ends(chain, 0, 2)),
          chain.slice(wanted, ...ends(chain, 2, 4)),
        ];
        const tokens = chain.sizes(from, 1, 2);
        const product = chain.op('Mul', [
          chain.slice(size, ...ends(chain, 0, 1)),
          chain.slice(size, ...ends(chain, 1, 2)),
        ]);
        const fits = chain.op('Equal', [tokens, product]);
        const fitting = chain.concat(counts, chain.op('Div', [size, counts]));
        const single = chain.concat(chain.ints(1, 1, 1), tokens);
        chain.op('Where', [fits, fitting, single], {}, tiles);
        const [rows, columns, height, width] = each(chain, tiles);
        const channels = chain.sizes(from, 2, 3);
        const line = chain.op('Mul', [width, channels]);
        const all = chain.ints(-1);
        const apart = chain.op('Reshape', [from, chain.concat(all, height, columns, line)]);
        const swapped = chain.op('Transpose', [apart], { perm: [0, 2, 1, 3] });
        const count = chain.op('Mul', [chain.sizes(from, 0, 1), chain.op('Mul', [rows, columns])]);
        chain.op('Reshape', [swapped, chain.concat(count, all, channels)], {}, to);
        return chain.fields;
      },
    },
    {
      at: { value: out.outputs[0]! },
      parts(from, to) {
        const chain = new NodeBuilder(outline, `${tiles} out`);
        const [rows, columns, height, width] = each(chain, tiles);
        const channels = chain.sizes(from, 2, 3);
        const line = chain.op('Mul', [width, channels]);
        const all = chain.ints(-1);
        const apart = chain.op('Reshape', [from, chain.concat(all, columns, height, line)]);
        const swapped = chain.op('Transpose', [apart], { perm: [0, 2, 1, 3] });
        const count = chain.op('Div', [chain.sizes(from, 0, 1), chain.op('Mul', [rows, columns])]);
        chain.op('Reshape', [swapped, chain.concat(count, all, channels)], {}, to);
        return chain.fields;
      },
    },
    ...recomputeAttentionShapes(outline, attention),
  ];
}

const ends = (chain: NodeBuilder, start: number, end: number): [start: string, end: string, axis: number] => [
  chain.ints(start),
  chain.ints(end),
  0,
];

const each = (chain: NodeBuilder, list: string): [string, string, string, string] =>
  [0, 1, 2, 3].map((at) => chain.slice(list, ...ends(chain, at, at + 1))) as [string, string, string, string];
