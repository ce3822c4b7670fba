import { expect, test } from 'vitest';
import { encodeProtobuf, type ProtobufField, protobufMessage } from './encode-protobuf.ts';
import { GraphBuilder } from './graph-builder.ts';
import { readNodeAttributes } from './node-attributes.ts';

const read = (bytes: Uint8Array) =>
  readNodeAttributes(bytes.length, async (start, end) => bytes.subarray(start, end));

test('numbers, lists and texts of each node', async () => {
  const graph = new GraphBuilder(new Map());
  graph.node('A', ['x'], { axis: -1, epsilon: { float: 0.5 }, perm: [0, 2, -1], mode: 'nearest' }, 'y');
  graph.node('B', ['y'], {}, 'z');
  expect([...(await read(graph.buildModel([], [])))]).toEqual([
    ['y', { axis: -1, epsilon: 0.5, perm: [0, 2, -1], mode: 'nearest' }],
    ['z', {}],
  ]);
});

test('packed lists, lists of floats, and others', async () => {
  const node = (...attributes: ProtobufField[][]) =>
    encodeProtobuf(
      protobufMessage([
        7,
        protobufMessage([
          1,
          protobufMessage(
            [2, 'y'],
            ...attributes.map((fields): ProtobufField => [5, protobufMessage(...fields)]),
          ),
        ]),
      ]),
    );
  const bytes = node(
    [
      [1, 'packed'],
      [8, Uint8Array.of(1, 2, 0x80, 1)],
      [20, 7],
    ],
    [
      [1, 'floats'],
      [7, { float: 0.5 }],
      [7, { float: 2 }],
      [20, 6],
    ],
    [
      [1, 'tensor'],
      [5, Uint8Array.of(8, 1)],
      [20, 4],
    ],
    [
      [1, 'damaged'],
      [8, Uint8Array.of(0x80)],
      [20, 7],
    ],
  );
  const found = (await read(bytes)).get('y');
  expect(found).toMatchObject({ packed: [1, 2, 128], floats: [0.5, 2] });
  expect(found).not.toHaveProperty('tensor.length');
  await expect(read(bytes.subarray(0, -3))).rejects.toThrow('cut off or damaged');
});
