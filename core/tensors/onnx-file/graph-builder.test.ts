import { expect, test } from 'vitest';
import { GraphBuilder, type StoredTensor } from './graph-builder.ts';
import { readOnnxOutline } from './read-graph-file.ts';

const stored = (type: string, bytes: number): StoredTensor => ({
  file: 'weights',
  type,
  shape: [32, 32],
  start: 0,
  end: bytes,
});

test('nodes that convert weights come before those that use the inputs', async () => {
  const builder = new GraphBuilder(
    new Map([
      ['first', stored('F16', 2048)],
      ['second', stored('Q8_0', 1088)],
    ]),
  );
  let x = 'x';
  for (const name of ['first', 'second']) {
    x = builder.node('MatMul', [x, builder.node('Transpose', [builder.externalFloats(name)])]);
    x = builder.node('Add', [x, builder.scalarInitializer(1)]);
  }
  const bytes = builder.buildModel(
    [{ name: 'x', type: 'float32', shape: [1, 32] }],
    [{ name: x, type: 'float32', shape: [1, 32] }],
  );
  const { nodes } = await readOnnxOutline(bytes.length, async (start, end) => bytes.subarray(start, end));
  const operators = nodes.map(({ operator }) => operator);
  const layers = ['MatMul', 'Add', 'MatMul', 'Add'];
  expect(operators.slice(-4)).toEqual(layers);
  expect(operators.slice(0, -4).filter((operator) => operator === 'MatMul')).toEqual([]);
  expect(operators.filter((operator) => operator === 'Transpose')).toHaveLength(2);
});
