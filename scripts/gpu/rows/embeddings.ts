/** Embeddings of `all-minilm` by onnxruntime: on the GPU and on the CPU, and against recorded vectors. */
import { join } from 'node:path';
import reference from '#test/embeddings/minilm-reference.json' with { type: 'json' };
import { startShim } from '#test/support/processes/shim.ts';
import { ask, KIT, NO_VULKAN, PORTS, PROGRAM, reportRow, secondsSince } from './kit.ts';

const port = `http://127.0.0.1:${PORTS['local-models']}`;
const input = reference.texts.map(({ text }) => text);
const MANY = Array.from({ length: 512 }, (_, at) => `${input[at % input.length]} ${at}`);

export async function embeddings(): Promise<void> {
  const expected = reference.texts.map(({ vector }) => {
    const bytes = new Uint8Array(Buffer.from(vector, 'base64'));
    return [...new Float32Array(bytes.buffer)];
  });
  for (const [device, env] of Object.entries({ GPU: {}, CPU: NO_VULKAN })) {
    const shim = await startShim(join(KIT, 'home-embed'), { program: PROGRAM, ports: PORTS, env });
    try {
      const start = performance.now();
      const vectors = await embed(input);
      const first = secondsSince(start);
      const begin = performance.now();
      await embed(MANY);
      const textsPerSecond = MANY.length / secondsSince(begin);
      const cosines = vectors.map((vector, at) => cosine(vector, expected[at]!));
      const loaded = await ask<object>(`${port}/api/ps`);
      reportRow(`embeddings, ${device}`, {
        first,
        textsPerSecond,
        smallestCosine: Math.min(...cosines),
        loaded,
      });
    } finally {
      await shim.stop();
    }
  }
}

const embed = async (texts: string[]) =>
  (await ask<{ embeddings: number[][] }>(`${port}/api/embed`, { model: 'all-minilm', input: texts }))
    .embeddings;

function cosine(a: number[], b: number[]): number {
  const product = (x: number[], y: number[]) => x.reduce((sum, value, at) => sum + value * y[at]!, 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
