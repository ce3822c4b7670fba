/** Self-attention within tiles, as insertions around one attention module. */
import type { OnnxOutline } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';
import type { AttentionNodes } from './attention-nodes.ts';
import { NodeBuilder } from './node-builder.ts';
import { recomputeAttentionShapes } from './runtime-shapes.ts';

/**
 * Reshapes [batch, tokens, width] to [batch x tiles, tokens of a tile, width] before the projections, and back
 * after them.
 *
 * @param input a graph input [modules, 4] of integers: rows and columns of tiles, height and width in tokens.
 * @param index the row of the input for this module.
 */
export function tileAttention(
  outline: OnnxOutline,
  attention: AttentionNodes,
  input: string,
  index: number,
): GraphInsertion[] {
  const { query, key, value, out } = attention;
  const tokens = query.inputs[0]!;
  if (key.inputs[0] !== tokens || value.inputs[0] !== tokens)
    throw new Error(
      `HyperTile: the matrices of ${attention.module} in this model's graph take different values, as after an optimization. Use a UNet as "optimum-cli export onnx" makes it`,
    );
  // The first insertion computes this list of four sizes, the second one uses it.
  const tiling = `${input} ${index}`;
  return [
    {
      at: { value: tokens },
      parts(from, to) {
        const builder = new NodeBuilder(outline, `${tiling} in`);
        chooseTiling(builder, from, { input, index }, tiling);
        splitTiles(builder, from, tiling, to);
        return builder.fields;
      },
    },
    {
      at: { value: out.outputs[0]! },
      parts(from, to) {
        const builder = new NodeBuilder(outline, `${tiling} out`);
        joinTiles(builder, from, tiling, to);
        return builder.fields;
      },
    },
    ...recomputeAttentionShapes(outline, attention),
  ];
}

/** Rows and columns of tiles, height and width of one. A single tile when the tokens do not form the expected area. */
function chooseTiling(
  builder: NodeBuilder,
  from: string,
  { input, index }: { input: string; index: number },
  output: string,
): void {
  const requested = builder.op('Gather', [input, builder.int(index)]);
  const [counts, size] = [
    builder.slice(requested, ...listRange(builder, 0, 2)),
    builder.slice(requested, ...listRange(builder, 2, 4)),
  ];
  const tokens = builder.sizes(from, 1, 2);
  const area = builder.op('Mul', [
    builder.slice(size, ...listRange(builder, 0, 1)),
    builder.slice(size, ...listRange(builder, 1, 2)),
  ]);
  const fits = builder.op('Equal', [tokens, area]);
  const tiles = builder.concat(counts, builder.op('Div', [size, counts]));
  const single = builder.concat(builder.ints(1, 1, 1), tokens);
  builder.op('Where', [fits, tiles, single], {}, output);
}

function splitTiles(builder: NodeBuilder, from: string, tiling: string, to: string): void {
  const [rows, columns, height, width] = elements(builder, tiling);
  const channels = builder.sizes(from, 2, 3);
  const line = builder.op('Mul', [width, channels]);
  const any = builder.ints(-1);
  const lines = builder.op('Reshape', [from, builder.concat(any, height, columns, line)]);
  const swapped = builder.op('Transpose', [lines], { perm: [0, 2, 1, 3] });
  const count = builder.op('Mul', [builder.sizes(from, 0, 1), builder.op('Mul', [rows, columns])]);
  builder.op('Reshape', [swapped, builder.concat(count, any, channels)], {}, to);
}

function joinTiles(builder: NodeBuilder, from: string, tiling: string, to: string): void {
  const [rows, columns, height, width] = elements(builder, tiling);
  const channels = builder.sizes(from, 2, 3);
  const line = builder.op('Mul', [width, channels]);
  const any = builder.ints(-1);
  const lines = builder.op('Reshape', [from, builder.concat(any, columns, height, line)]);
  const swapped = builder.op('Transpose', [lines], { perm: [0, 2, 1, 3] });
  const count = builder.op('Div', [builder.sizes(from, 0, 1), builder.op('Mul', [rows, columns])]);
  builder.op('Reshape', [swapped, builder.concat(count, any, channels)], {}, to);
}

/** The last arguments of `slice` for the range [start, end) of a list. */
const listRange = (
  builder: NodeBuilder,
  start: number,
  end: number,
): [start: string, end: string, axis: number] => [builder.ints(start), builder.ints(end), 0];

/** Each of the four elements of a list, as a list of one element. */
const elements = (builder: NodeBuilder, list: string): [string, string, string, string] =>
  [0, 1, 2, 3].map((at) => builder.slice(list, ...listRange(builder, at, at + 1))) as [
    string,
    string,
    string,
    string,
  ];
