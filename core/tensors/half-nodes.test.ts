import { expect, test } from 'vitest';
import { halfNodes } from './half-nodes.ts';
import { GraphBuilder, type StoredTensor } from './onnx-file/graph-builder.ts';
import { readOnnxOutline } from './onnx-file/read-graph-file.ts';

const stored = (type: string): StoredTensor => ({
  ...{ file: 'weights', type, shape: [4, 4] },
  ...{ start: 0, end: type === 'F32' ? 64 : 32 },
});

/** The outline of a graph over tensors of 16 and 32 bits. */
async function outlineOf(build: (graph: GraphBuilder) => string) {
  const weights = new Map(['F16', 'BF16', 'F32'].map((type) => [type, stored(type)]));
  const graph = new GraphBuilder(weights);
  const bytes = graph.buildModel([], [{ name: build(graph), type: 'float32', shape: [] }]);
  return readOnnxOutline(bytes.length, async (start, end) => bytes.subarray(start, end));
}

test('nodes that read stored 16-bit floats are found up to their conversion', async () => {
  const outline = await outlineOf((graph) => {
    const rows = graph.node('Gather', [graph.externalInitializer('F16'), 'ids'], {}, 'rows');
    const turned = graph.node('Transpose', [rows], {}, 'turned');
    const size = graph.node('Shape', [turned], {}, 'size');
    const floats = graph.node('Cast', [turned], { to: 1 }, 'floats');
    const other = graph.node('MatMul', [graph.externalFloats('F32'), graph.externalFloats('BF16')]);
    const sum = graph.node('Add', [graph.node('Reshape', [floats, size], {}, 'shaped'), other]);
    return graph.node('Cast', [graph.node('Cast', [sum], { to: 10 }, 'rounded')], { to: 1 }, 'again');
  });
  const found = halfNodes(outline);
  const expected = ['rows', 'turned', 'size', 'floats', 'rounded', 'again'];
  expect(found.toSorted()).toEqual(expected.map((name) => `${name}_node`).toSorted());
});

test('a graph that computes with 16-bit floats is left to another provider', async () => {
  const outline = await outlineOf((graph) =>
    graph.node('MatMul', ['x', graph.node('Transpose', [graph.externalInitializer('F16')])]),
  );
  expect(() => halfNodes(outline)).toThrow(
    'this GPU has no 16-bit floats in shaders (shader-f16), and the graph computes MatMul with them',
  );
});

test('a graph without 16-bit floats runs on the GPU alone', async () => {
  const outline = await outlineOf((graph) => graph.node('Relu', [graph.externalFloats('F32')]));
  expect(halfNodes(outline)).toEqual([]);
});
