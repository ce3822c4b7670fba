/**
 * torch's newer exporter works the shapes of values out of those of the graph's inputs, once for the whole graph. What is to
 * have another size inside gets its shapes from the values themselves, as its older exporter has it.
 */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';
import { moduleOf } from '../graphs/graph-constants.ts';
import type { AttentionNodes } from './attention-nodes.ts';
import { NodeBuilder } from './node-builder.ts';

/** Where such an exporter has them: the parts of a shape, a list, from the one that was. */
function shapeOf(
  outline: OnnxOutline,
  node: OnnxNode,
  parts: (chain: NodeBuilder, was: (from: number, to: number) => string) => readonly string[],
): GraphInsertion {
  return {
    at: { node, input: 1 },
    parts(from, to) {
      const chain = new NodeBuilder(outline, to);
      const was = (start: number, end: number) => chain.slice(from, chain.ints(start), chain.ints(end), 0);
      chain.op('Concat', parts(chain, was), { axis: 0 }, to);
      return chain.fields;
    },
  };
}

/** Blocks of attention take and give pictures: [batch, channels, height, width] to [batch, height x width, channels] and back. */
export function recomputeShapes(outline: OnnxOutline): GraphInsertion[] {
  const lengths = new Map(
    outline.nodes
      .filter(({ operator }) => operator === 'Concat')
      .map(({ inputs, outputs }) => [outputs[0]!, inputs.length]),
  );
  return outline.nodes.flatMap((node) => {
    const module = moduleOf(node);
    if (node.module === undefined || node.operator !== 'Reshape' || !/\.attentions\.\d+$/.test(module))
      return [];
    // Others make lists of sizes.
    const length = lengths.get(node.inputs[1]!);
    if (length === 3) return [shapeOf(outline, node, (chain, was) => [was(0, 1), chain.ints(-1), was(2, 3)])];
    const picture = outline.nodes.find((one) => moduleOf(one) === `${module}.norm`)?.inputs[0];
    if (length !== 4 || picture === undefined) return [];
    return [shapeOf(outline, node, (chain, was) => [was(0, 1), chain.sizes(picture, 2, 4), was(3, 4)])];
  });
}

/** What lies between a matrix and the change of its result's shape. */
const BETWEEN = new Set(['Add', 'Mul', 'Div', 'Cast', 'Identity']);

/** [batch, tokens, heads, width] of what one attention takes, and [batch, tokens, width] of what it gives. */
export function recomputeAttentionShapes(outline: OnnxOutline, place: AttentionNodes): GraphInsertion[] {
  if (place.query.module === undefined) return [];
  const insertions: GraphInsertion[] = [];
  for (const matrix of [place.query, place.key, place.value]) {
    const node = reshapeAfter(outline, matrix.outputs[0]!);
    if (!node) continue;
    insertions.push(shapeOf(outline, node, (chain, was) => [chain.sizes(node.inputs[0]!, 0, 2), was(2, 99)]));
  }
  const node = reshapeBefore(outline, place.out.inputs[0]!);
  const input = place.key.inputs[0]!;
  if (node)
    insertions.push(
      shapeOf(outline, node, (chain, was) => [chain.sizes(input, 0, 1), chain.ints(-1), was(2, 3)]),
    );
  return insertions;
}

function reshapeAfter({ nodes }: OnnxOutline, value: string): OnnxNode | undefined {
  const wanted = [value];
  for (const name of wanted)
    for (const node of nodes) {
      if (!node.inputs.includes(name)) continue;
      if (node.operator === 'Reshape') return node;
      if (BETWEEN.has(node.operator)) wanted.push(...node.outputs);
    }
  return undefined;
}

function reshapeBefore({ nodes }: OnnxOutline, value: string): OnnxNode | undefined {
  let wanted = value;
  for (;;) {
    const node = nodes.find(({ outputs }) => outputs.includes(wanted));
    if (node?.operator === 'Reshape') return node;
    if (!node || !BETWEEN.has(node.operator)) return undefined;
    wanted = node.inputs[0]!;
  }
}
