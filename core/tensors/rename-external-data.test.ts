import { expect, test } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { readExternalTensors } from './onnx-file/external-data.ts';
import { GraphBuilder } from './onnx-file/graph-builder.ts';
import { renameExternalData } from './rename-external-data.ts';

function graphOf(...locations: string[]): Uint8Array {
  const stored = (file: string) => ({ file, type: 'F32', shape: [1], start: 4, end: 8 });
  const builder = new GraphBuilder(new Map(locations.map((file, index) => [`w${index}`, stored(file)])));
  for (const index of locations.keys()) builder.externalInitializer(`w${index}`);
  return builder.buildModel([], []);
}
const dataOf = async (graph: Uint8Array) => {
  const tensors = await readExternalTensors(graph.length, async (start, end) => graph.subarray(start, end));
  return tensors.map(({ location, offset, length }) => [
    location.text,
    offset?.text,
    length && Number(length.text),
  ]);
};

test.each(['b', 'a-name-of-the-same-length', 'x'.repeat(300)])(
  'names become shorter and longer: %s',
  async (name) => {
    const graph = graphOf('model.onnx_data', 'other', './model.onnx_data');
    const before = graph.slice();
    const renamed = await renameExternalData(graph, new Map([['model.onnx_data', name]]));
    expect(await dataOf(renamed)).toEqual([
      [name, '4', 4],
      ['other', '4', 4],
      [name, '4', 4],
    ]);
    expect(graph).toEqual(before);
    // Building with the new names gives the same bytes, so that all lengths are right.
    expect(renamed).toEqual(graphOf(name, 'other', name));
  },
);

test('a graph without such names stays the same', async () => {
  const graph = graphOf('data');
  expect(await renameExternalData(graph, new Map([['more', 'less']]))).toBe(graph);
});

test('a damaged graph is refused', async () => {
  const graph = graphOf('data').slice(0, -3);
  await expect(renameExternalData(graph, new Map([['data', 'x']]))).rejects.toThrow(ModelCorrupt);
});
