import { expect, test } from 'vitest';
import { BFLOAT_TO_HALF, BFLOAT_TO_SINGLE, convertFloats, HALF_TO_SINGLE } from './convert-floats.ts';
import { halfFloats } from './gguf/half.ts';
import { GraphBuilder } from './onnx-file/graph-builder.ts';
import { readOnnxOutline } from './onnx-file/read-graph-file.ts';

/** 1, -2, infinity and the smallest number, after two bytes of something else. */
const HALVES = Uint8Array.of(9, 9, 0, 0x3c, 0, 0xc0, 0, 0x7c, 1, 0);
const NUMBERS = [1, -2, Number.POSITIVE_INFINITY, 2 ** -24];

function graphOf(): Uint8Array {
  const weights = new Map([
    ['half', { file: 'halves', type: 'F16', shape: [4], start: 2, end: 10 }],
    ['single', { file: 'singles', type: 'F32', shape: [4], start: 0, end: 16 }],
  ]);
  const graph = new GraphBuilder(weights);
  const sum = graph.node('Add', [graph.externalFloats('half'), graph.externalFloats('single')], {}, 'sum');
  return graph.buildModel([], [{ name: sum, type: 'float32', shape: [4] }]);
}

const outlineOf = (graph: Uint8Array) =>
  readOnnxOutline(graph.length, async (start, end) => graph.subarray(start, end));

test.each([false, true])(
  '16-bit floats become 32-bit floats with data of their own (as Blob: %s)',
  async (asBlob) => {
    const original = graphOf();
    const untouched = original.slice();
    const singles = new Uint8Array(16);
    const { graph, parts } = await convertFloats(
      original,
      [
        { path: 'halves', data: asBlob ? new Blob([HALVES]) : HALVES },
        { path: 'singles', data: singles },
      ],
      [HALF_TO_SINGLE],
    );
    expect(original).toEqual(untouched);
    const [half, single] = (await outlineOf(graph)).initializers.filter(({ location }) => location?.file);
    expect(half).toMatchObject({ type: 'F32', shape: [4], location: { start: 0, end: 16 } });
    expect(single).toMatchObject({ type: 'F32', location: { file: 'singles', start: 0, end: 16 } });
    expect(parts.map(({ path }) => path)).toEqual(['singles', half!.location!.file]);
    const { data } = parts[1]!;
    expect(data instanceof Blob).toBe(asBlob);
    const bytes = data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data.slice();
    expect([...new Float32Array(bytes.buffer)]).toEqual(NUMBERS);
  },
);

test('a Blob is converted while it is read, also in pieces that cut numbers', async () => {
  const weights = new Map([['half', { file: 'halves', type: 'F16', shape: [4], start: 2, end: 10 }]]);
  const builder = new GraphBuilder(weights);
  const output = builder.node('Neg', [builder.externalFloats('half')], {}, 'output');
  const graph = builder.buildModel([], [{ name: output, type: 'float32', shape: [4] }]);
  /** Streams one byte at a time. */
  class SlowBlob extends Blob {
    override slice(start?: number, end?: number): Blob {
      return new SlowBlob([super.slice(start, end)]);
    }
    override stream() {
      const bytes = super.arrayBuffer();
      return new ReadableStream<Uint8Array<ArrayBuffer>>({
        async start(controller) {
          for (const byte of new Uint8Array(await bytes)) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      });
    }
  }
  const { parts } = await convertFloats(
    graph,
    [{ path: 'halves', data: new SlowBlob([HALVES]) }],
    [HALF_TO_SINGLE],
  );
  const wide = parts[0]!.data as Blob;
  expect(wide.size).toBe(16);
  const streamed = await new Response(wide.slice(4, 16).stream()).arrayBuffer();
  expect([...new Float32Array(streamed)]).toEqual(NUMBERS.slice(1));
  expect(() => wide.slice(2, 6)).toThrow(RangeError);
});

test('a graph without 16-bit floats stays as it is', async () => {
  const weights = new Map([['w', { file: 'singles', type: 'F32', shape: [1], start: 0, end: 4 }]]);
  const builder = new GraphBuilder(weights);
  const twice = builder.node('Add', [builder.externalFloats('w'), builder.externalFloats('w')], {}, 'twice');
  const graph = builder.buildModel([], [{ name: twice, type: 'float32', shape: [1] }]);
  const parts = [{ path: 'singles', data: new Uint8Array(4) }];
  expect(await convertFloats(graph, parts, [HALF_TO_SINGLE, BFLOAT_TO_HALF])).toEqual({ graph, parts });
});

test('bfloat16 becomes 16-bit floats of the same value, or the nearest that there is', async () => {
  const weights = new Map([['w', { file: 'stored', type: 'BF16', shape: [6], start: 0, end: 12 }]]);
  const builder = new GraphBuilder(weights);
  const output = builder.node('Neg', [builder.externalFloats('w')], {}, 'output');
  const graph = builder.buildModel([], [{ name: output, type: 'float32', shape: [6] }]);
  const numbers = Float32Array.of(1.5, -2, 2 ** -24, 1e30, -1e30, 2 ** -30);
  const bits = Uint16Array.from(new Uint32Array(numbers.buffer), (value) => value >>> 16);
  const stored = { path: 'stored', data: new Uint8Array(bits.buffer) };
  const half = await convertFloats(graph, [stored], [BFLOAT_TO_HALF]);
  expect((await outlineOf(half.graph)).initializers.find(({ location }) => location?.file)).toMatchObject({
    type: 'F16',
    location: { start: 0, end: 12 },
  });
  expect([...halfFloats(half.parts[0]!.data as Uint8Array)]).toEqual([1.5, -2, 2 ** -24, 65504, -65504, 0]);
  const single = await convertFloats(graph, [stored], [BFLOAT_TO_SINGLE]);
  const floats = new Float32Array((single.parts[0]!.data as Uint8Array<ArrayBuffer>).buffer);
  expect([...floats.subarray(0, 3)]).toEqual([1.5, -2, 2 ** -24]);
  expect(floats[5]).toBe(2 ** -30);
});
