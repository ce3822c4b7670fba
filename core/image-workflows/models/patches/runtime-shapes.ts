/**
 * torch's newer exporter computes the shapes of all inner values from those of the graph's inputs, once for the whole
 * graph. A patch that changes the size of inner values needs shapes that are computed from the values themselves, as
 * torch's older exporter writes them. These insertions replace the shape inputs of Reshape nodes accordingly.
 */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';
import { moduleOf } from '../graphs/graph-constants.ts';
import type { AttentionNodes } from './attention-nodes.ts';
import { NodeBuilder } from './node-builder.ts';

/** Computes sides of a shape. `original` returns the sides [start, end) of the shape in the graph. */
type ShapeParts = (
  builder: NodeBuilder,
  original: (start: number, end: number) => string,
) => readonly string[];

function replaceShape(outline: OnnxOutline, node: OnnxNode, parts: ShapeParts): GraphInsertion {
  return {
    at: { node, input: 1 },
    parts(from, to) {
      const builder = new NodeBuilder(outline, to);
      const original = (start: number, end: number) =>
        builder.slice(from, builder.ints(start), builder.ints(end), 0);
      builder.op('Concat', parts(builder, original), { axis: 0 }, to);
      return builder.fields;
    },
  };
}

/**
 * For the blocks of attention in a UNet, which reshape [batch, channels, height, width] to [batch, height x width,
 * channels] and back. Empty for graphs of the older exporter.
 */
export function recomputeShapes(outline: OnnxOutline): GraphInsertion[] {
  const listLengths = new Map(
    outline.nodes
      .filter(({ operator }) => operator === 'Concat')
      .map(({ inputs, outputs }) => [outputs[0]!, inputs.length]),
  );
  return outline.nodes.flatMap((node) => {
    const module = moduleOf(node);
    if (node.module === undefined || node.operator !== 'Reshape' || !/\.attentions\.\d+$/.test(module))
      return [];
    // Other Reshape nodes convert scalars to lists.
    const length = listLengths.get(node.inputs[1]!);
    if (length === 3)
      return [
        replaceShape(outline, node, (builder, original) => [
          original(0, 1),
          builder.ints(-1),
          original(2, 3),
        ]),
      ];
    const image = outline.nodes.find((other) => moduleOf(other) === `${module}.norm`)?.inputs[0];
    if (length !== 4 || image === undefined) return [];
    return [
      replaceShape(outline, node, (builder, original) => [
        original(0, 1),
        builder.sizes(image, 2, 4),
        original(3, 4),
      ]),
    ];
  });
}

/** Operators between a projection and the Reshape of its result. */
const BETWEEN = new Set(['Add', 'Mul', 'Div', 'Cast', 'Identity']);

/**
 * For one attention module: [batch, tokens, heads, width] of its projections, and [batch, tokens, width] of its output.
 */
export function recomputeAttentionShapes(outline: OnnxOutline, attention: AttentionNodes): GraphInsertion[] {
  if (attention.query.module === undefined) return [];
  const insertions: GraphInsertion[] = [];
  for (const projection of [attention.query, attention.key, attention.value]) {
    const node = reshapeAfter(outline, projection.outputs[0]!);
    if (!node) continue;
    insertions.push(
      replaceShape(outline, node, (builder, original) => [
        builder.sizes(node.inputs[0]!, 0, 2),
        original(2, 99),
      ]),
    );
  }
  const node = reshapeBefore(outline, attention.out.inputs[0]!);
  const input = attention.key.inputs[0]!;
  if (node)
    insertions.push(
      replaceShape(outline, node, (builder, original) => [
        builder.sizes(input, 0, 1),
        builder.ints(-1),
        original(2, 3),
      ]),
    );
  return insertions;
}

function reshapeAfter({ nodes }: OnnxOutline, value: string): OnnxNode | undefined {
  const values = [value];
  for (const name of values)
    for (const node of nodes) {
      if (!node.inputs.includes(name)) continue;
      if (node.operator === 'Reshape') return node;
      if (BETWEEN.has(node.operator)) values.push(...node.outputs);
    }
  return undefined;
}

function reshapeBefore({ nodes }: OnnxOutline, value: string): OnnxNode | undefined {
  let name = value;
  for (;;) {
    const node = nodes.find(({ outputs }) => outputs.includes(name));
    if (node?.operator === 'Reshape') return node;
    if (!node || !BETWEEN.has(node.operator)) return undefined;
    name = node.inputs[0]!;
  }
}
