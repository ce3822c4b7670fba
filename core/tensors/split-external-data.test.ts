import { expect, test } from 'vitest';
import type { FileEdit, GraphFile } from '#core/host';
import { inlineTensors } from '#test/support/host/inline-tensors.ts';
import { readExternalTensors } from './onnx-file/external-data.ts';
import { GraphBuilder } from './onnx-file/graph-builder.ts';
import type { Ort } from './onnxruntime.ts';
import { ServedSession } from './served-session.ts';
import { splitExternalData } from './split-external-data.ts';

const never = new AbortController().signal;
const NAME = 'model.onnx_data';

/** A graph that adds five weights of 100 numbers each to its input. The weights lie in the data file. */
function graphOf(location = NAME): Uint8Array<ArrayBuffer> {
  const weights = new Map(
    Array.from({ length: 5 }, (_, row) => [
      `row${row}`,
      { file: location, type: 'F32', shape: [100], start: row * 400, end: (row + 1) * 400 },
    ]),
  );
  const graph = new GraphBuilder(weights);
  let sum = 'x';
  for (let row = 0; row < 5; row++)
    sum = graph.node('Add', [sum, graph.externalInitializer(`row${row}`)], {}, row === 4 ? 'y' : `sum${row}`);
  const slot = (name: string) => ({ name, type: 'float32' as const, shape: [100] });
  return graph.buildModel([slot('x')], [slot('y')]);
}
const numbers = Float32Array.from({ length: 500 }, (_, at) => 10 ** Math.floor(at / 100));
const bytes = new Uint8Array(numbers.buffer);
const files = (graph: Uint8Array): GraphFile[] => [
  { role: 'weights', name: 'model.onnx', size: graph.length, path: 'graph' },
  { role: 'part', name: NAME, size: bytes.length, path: 'data' },
];

/** Runs the graph on zeros. No array may be larger than `most` bytes. `read` lists the ranges of the data file that were read. */
async function run(most: number | undefined, edits?: FileEdit[], graph = graphOf()) {
  const read: string[] = [];
  const engine = inlineTensors(
    async (file, start = 0, end = file.size) => {
      if (file.role === 'part') read.push(`${start}-${end}`);
      return (file.role === 'weights' ? graph : bytes).slice(start, end);
    },
    most === undefined ? {} : { largestPiece: most },
  );
  const editOptions = edits && {
    async *edits() {
      yield* edits;
    },
  };
  const session = await engine.open(files(graph), { providers: ['wasm'], ...editOptions }, never);
  const x = { type: 'float32', shape: [100], data: new Float32Array(100) } as const;
  const { y } = await session.run({ x }, never);
  await session.dispose();
  return { sums: [...new Set(y!.data as Float32Array)], read };
}

test.each([
  ['in one piece', undefined, ['0-2000']],
  ['in two pieces', 1200, ['0-1200', '1200-2000']],
  [
    'one weight a piece, where not even one fits',
    100,
    ['0-400', '400-800', '800-1200', '1200-1600', '1600-2000'],
  ],
])('the runtime reads the same weights: %s', async (_, most, read) => {
  expect(await run(most)).toEqual({ sums: [11111], read });
});

test('edits of weights reach the piece that they are in', async () => {
  const row = new Uint8Array(Float32Array.from({ length: 100 }, () => 5000).buffer);
  const edits = [3, 4].map((index) => ({ file: NAME, start: index * 400, bytes: row }));
  for (const most of [undefined, 1200, 400]) expect((await run(most, edits)).sums).toEqual([10111]);
});

test('a name that begins with ./ keeps it, and small files are not split', async () => {
  expect((await run(1200, undefined, graphOf(`./${NAME}`))).sums).toEqual([11111]);
  const graph = graphOf();
  expect(await splitExternalData(graph, [{ name: NAME, size: 2000 }], 2000)).toEqual(new Map());
  expect(graph).toEqual(graphOf());
});

test('names of pieces keep their length, and are those of no other file', async () => {
  const graph = graphOf();
  const others = [
    { name: NAME, size: 2000 },
    { name: 'model.onnx_d001', size: 10 },
  ];
  const pieces = (await splitExternalData(graph, others, 800)).get(NAME);
  expect(pieces?.map(({ name }) => name)).toEqual([NAME, 'model.onnx_d002', 'model.onnx_d003']);
  expect(graph).toHaveLength(graphOf().length);
  const tensors = await readExternalTensors(graph.length, async (start, end) => graph.subarray(start, end));
  expect(
    tensors.map(({ location, offset, length }) => [
      location.text,
      offset!.text,
      length && Number(length.text),
    ]),
  ).toEqual([
    [NAME, '0', 400],
    [NAME, '400', 400],
    ['model.onnx_d002', '000', 400],
    ['model.onnx_d002', '0400', 400],
    ['model.onnx_d003', '0000', 400],
  ]);
});

test('weights behind the end of their file are an error', async () => {
  await expect(splitExternalData(graphOf(), [{ name: NAME, size: 1900 }], 800)).rejects.toThrow(
    'its weights lie at 1600 to 2000 of a file of 1900 bytes',
  );
});

test('a runtime that reads Blobs receives one for each piece, with its edits', async () => {
  const received: { path: string; data: Blob }[] = [];
  const read: string[] = [];
  const stop = new Error('seen');
  await new Promise<void>((done) => {
    const ort = {
      InferenceSession: {
        async create(_: Uint8Array, options: { externalData: typeof received }) {
          received.push(...options.externalData);
          throw stop;
        },
      },
    } as unknown as Ort;
    const edits = [{ file: NAME, start: 1200, bytes: new Uint8Array([7, 7]) }];
    const session = new ServedSession<string>({
      prepare: async () => ({ ort, device: 'any', readsBlobs: true }),
      read: async (file) => {
        read.push(file);
        return graphOf();
      },
      stream: () => new Blob([bytes]),
      largestPiece: 1000,
      send(message) {
        if (message.type === 'edit-wanted') session.receive({ type: 'edit', edit: edits.shift() });
        if (message.type === 'open-failed') done();
      },
    });
    const data = [{ name: NAME, size: bytes.length, file: 'data' }];
    session.receive({ type: 'open', graph: 'graph', data, isEdited: true, provider: 'webgpu', threads: 0 });
  });
  expect(read).toEqual(['graph']);
  expect(received.map(({ path, data }) => [path, data.size])).toEqual([
    [NAME, 800],
    ['model.onnx_d001', 800],
    ['model.onnx_d002', 400],
  ]);
  const edited = bytes.slice(800, 1600);
  edited.set([7, 7], 400);
  expect(new Uint8Array(await received[1]!.data.arrayBuffer())).toEqual(edited);
  expect(new Uint8Array(await received[2]!.data.arrayBuffer())).toEqual(bytes.slice(1600));
});
