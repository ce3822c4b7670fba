import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { runtimeFiles } from '#shim/engines/onnx/tensor-entry.ts';
import { GraphBuilder } from './onnx-file/graph-builder.ts';
import { withPlainAttention } from './plain-attention.ts';

let ort: typeof import('onnxruntime-web');

beforeAll(async () => {
  ort = await import('onnxruntime-web');
  const { mjs, wasm } = runtimeFiles();
  ort.env.wasm.wasmPaths = { mjs: mjs.href, wasm: wasm.href };
  ort.env.wasm.wasmBinary = await readFile(wasm);
  ort.env.wasm.numThreads = 1;
});

const NAMES = ['query', 'key', 'value'];

function attention(width: number, heads: number, scale = 0.3): Uint8Array {
  const graph = new GraphBuilder(new Map());
  const options = { num_heads: heads, scale: { float: scale } };
  graph.node('com.microsoft.MultiHeadAttention', NAMES, options, 'mixed');
  const value = (name: string) => ({ name, type: 'float32' as const, shape: ['batch', `${name}s`, width] });
  return graph.buildModel(NAMES.map(value), [value('mixed')]);
}

async function run(graph: Uint8Array, shapes: Record<string, number[]>, numberAt: (at: number) => number) {
  const session = await ort.InferenceSession.create(graph, {
    executionProviders: ['wasm'],
    logSeverityLevel: 4,
  });
  const feeds = Object.entries(shapes).map(([name, shape]) => {
    const size = shape.reduce((product, side) => product * side, 1);
    return [
      name,
      new ort.Tensor(
        'float32',
        Float32Array.from({ length: size }, (_, at) => numberAt(at)),
        shape,
      ),
    ] as const;
  });
  const { mixed } = await session.run(Object.fromEntries(feeds), ['mixed']);
  return (await mixed!.getData()) as Float32Array;
}

it('gives the numbers of the operator', async () => {
  const shapes = { query: [2, 3, 8], key: [2, 5, 8], value: [2, 5, 8] };
  const graph = attention(8, 4);
  const plain = await withPlainAttention(graph);
  expect(plain).not.toEqual(graph);
  const [expected, found] = [await run(graph, shapes, Math.sin), await run(plain, shapes, Math.sin)];
  expect(found).toHaveLength(48);
  for (const [at, value] of found.entries()) expect(value).toBeCloseTo(expected[at]!, 5);
});

it('attends where the operator fails: 2³¹ multiplications for a head', { timeout: 60_000 }, async () => {
  const [tokens, width] = [512, 4096];
  const shapes = Object.fromEntries(NAMES.map((name) => [name, [1, tokens, width]]));
  await expect(run(attention(width, 1), shapes, () => 0.5)).rejects.toThrow('Integer overflow');
  const found = await run(await withPlainAttention(attention(width, 1)), shapes, () => 0.5);
  expect(found.every((value) => Math.abs(value - 0.5) < 1e-5)).toBe(true);
});

it('leaves graphs without such nodes as they are', async () => {
  const graph = new GraphBuilder(new Map());
  graph.node('Identity', ['x'], {}, 'y');
  const value = (name: string) => ({ name, type: 'float32' as const, shape: [1] });
  const bytes = graph.buildModel([value('x')], [value('y')]);
  expect(await withPlainAttention(bytes)).toBe(bytes);
});
