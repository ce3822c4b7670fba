import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runtimeFiles } from '#shim/engines/onnx/tensor-entry.ts';
import { checkAttention, hasAttention } from './attention-check.ts';
import type { Ort, OrtSession } from './onnxruntime.ts';

async function runtime(): Promise<Ort> {
  const ort = await import('onnxruntime-web');
  const { mjs, wasm } = runtimeFiles();
  ort.env.wasm.wasmPaths = { mjs: mjs.href, wasm: wasm.href };
  ort.env.wasm.wasmBinary = await readFile(wasm);
  ort.env.wasm.numThreads = 1;
  return ort as unknown as Ort;
}

/** The runtime, with other outputs. */
const changing = (ort: Ort, change: (data: Float32Array) => void): Ort => ({
  ...ort,
  Tensor: ort.Tensor,
  InferenceSession: {
    async create(...args) {
      const session = (await ort.InferenceSession.create(...args)) as OrtSession & {
        release(): Promise<void>;
      };
      return {
        outputNames: session.outputNames,
        release: () => session.release(),
        async run(...feeds: Parameters<OrtSession['run']>) {
          const results = await session.run(...feeds);
          change((await Object.values(results)[0]!.getData()) as Float32Array);
          return results;
        },
      };
    },
  },
});

it('accepts a runtime with the right numbers, and refuses others', { timeout: 60_000 }, async () => {
  const ort = await runtime();
  await expect(checkAttention(ort, 'wasm')).resolves.toBeUndefined();
  const refused = { name: 'ProviderUnusable', message: expect.stringContaining('attention') };
  for (const wrong of [0.1, Number.NaN])
    await expect(
      checkAttention(
        changing(ort, (data) => {
          data[4000] = wrong;
        }),
        'wasm',
      ),
    ).rejects.toMatchObject(refused);
});

it('finds the operator in a graph by its name', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(hasAttention(bytes('\u0001Multi\u0002MultiHeadAttention\u0003'))).toBe(true);
  expect(hasAttention(bytes('MultiHeadAttentio'))).toBe(false);
});
