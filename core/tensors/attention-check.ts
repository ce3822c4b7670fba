import { ProviderUnusable } from '#core/host';
import { GraphBuilder } from './onnx-file/graph-builder.ts';
import { fromOrtTensor, type Ort, type OrtSession, toOrtTensor } from './onnxruntime.ts';

/** The name of onnxruntime's operator, in its own domain. */
export const ATTENTION_OPERATOR = 'MultiHeadAttention';
/** Tokens, and the width of the head. Some GPUs are right with 16 tokens, and wrong with 64. */
const TOKENS = 64;
const WIDTH = 64;
const SHAPE = [1, TOKENS, WIDTH];
/** The values lie between -1 and 1. GPUs that compute right differ by about 1e-6. */
const TOLERANCE = 1e-3;

/** Whether a graph in the ONNX format has attention of several heads as one operator. */
export function hasAttention(graph: Uint8Array): boolean {
  const first = ATTENTION_OPERATOR.charCodeAt(0);
  for (let at = graph.indexOf(first); at >= 0; at = graph.indexOf(first, at + 1))
    if ([...ATTENTION_OPERATOR].every((letter, index) => graph[at + index] === letter.charCodeAt(0)))
      return true;
  return false;
}

/**
 * Computes attention with known numbers. Rejects with `ProviderUnusable` when the provider gives others. The kernels of
 * onnxruntime for GPUs depend on properties of the GPU, and are wrong on some, without an error.
 * @param provider the runtime's name of it
 */
export async function checkAttention(ort: Ort, provider: string): Promise<void> {
  const session = (await ort.InferenceSession.create(attentionGraph(), {
    executionProviders: [provider],
    logSeverityLevel: 3,
  })) as OrtSession & { release(): Promise<void> };
  try {
    const inputs = Object.fromEntries(['q', 'k', 'v'].map((name, seed) => [name, waves(seed + 1)]));
    const feeds = Object.entries(inputs).map(
      ([name, data]) => [name, toOrtTensor(ort, { type: 'float32', shape: SHAPE, data })] as const,
    );
    const [output] = session.outputNames;
    const results = await session.run(Object.fromEntries(feeds), [output!]);
    const { data } = await fromOrtTensor(results[output!]!);
    const expected = attentionOf(inputs.q!, inputs.k!, inputs.v!);
    // Written this way around, so that NaN counts as a difference.
    if (!expected.every((value, at) => Math.abs(value - Number(data[at])) <= TOLERANCE))
      throw new ProviderUnusable('this GPU gives wrong numbers for attention');
  } finally {
    await session.release();
  }
}

function attentionGraph(): Uint8Array {
  const graph = new GraphBuilder(new Map());
  const output = graph.node(
    `com.microsoft.${ATTENTION_OPERATOR}`,
    ['q', 'k', 'v'],
    { num_heads: 1 },
    'output',
  );
  const shape = ['batch', 'tokens', WIDTH];
  const input = (name: string) => ({ name, type: 'float32' as const, shape });
  return graph.buildModel(['q', 'k', 'v'].map(input), [input(output)]);
}

/** Different numbers between -1 and 1. */
const waves = (seed: number): Float32Array =>
  Float32Array.from({ length: TOKENS * WIDTH }, (_, at) => Math.sin(at * at * 0.37 + seed));

/** Vaswani et al., "Attention is all you need", 2017, equation 1: [tokens, width] each. */
function attentionOf(query: Float32Array, key: Float32Array, value: Float32Array): Float32Array {
  const mixed = new Float32Array(TOKENS * WIDTH);
  for (let row = 0; row < TOKENS; row++) {
    const weights = Array.from({ length: TOKENS }, (_, column) => {
      let score = 0;
      for (let i = 0; i < WIDTH; i++) score += query[row * WIDTH + i]! * key[column * WIDTH + i]!;
      return Math.exp(score / Math.sqrt(WIDTH));
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (const [column, weight] of weights.entries())
      for (let i = 0; i < WIDTH; i++) mixed[row * WIDTH + i]! += (weight / sum) * value[column * WIDTH + i]!;
  }
  return mixed;
}
