import { expect, test } from 'vitest';
import type { WeightedToken } from './token-chunks.ts';
import { encodeChunks } from './weighted-encoding.ts';

/** Encodes a token as itself and a hundred times itself. Counts its calls in the pooled embedding. */
function createEncoder() {
  let calls = 0;
  return {
    encode: async (chunk: readonly (number | Float32Array)[]) => ({
      tensor: {
        shape: [1, chunk.length, 2],
        data: Float32Array.from(chunk.flatMap((token) => [Number(token), Number(token) * 100])),
      },
      pooled: { shape: [1, 1], data: Float32Array.of(++calls) },
    }),
    calls: () => calls,
  };
}
const chunk = (...tokens: [token: number, weight: number][]): WeightedToken[] =>
  tokens.map(([token, weight]) => ({ token, weight }));
const empty = chunk([1, 1], [2, 1]);
const signal = new AbortController().signal;

test('chunks are concatenated, and the empty prompt is not encoded without weights', async () => {
  const encoder = createEncoder();
  const { tensor } = await encodeChunks(
    [chunk([3, 1], [4, 1]), chunk([5, 1], [6, 1])],
    empty,
    encoder,
    signal,
  );
  expect(tensor).toEqual({ shape: [1, 4, 2], data: Float32Array.of(3, 300, 4, 400, 5, 500, 6, 600) });
  expect(encoder.calls()).toBe(2);
});

test('a weight scales the difference to the empty prompt at the same token', async () => {
  const encoder = createEncoder();
  const { tensor } = await encodeChunks(
    [chunk([3, 1], [4, 2]), chunk([5, 0.5], [6, 1])],
    empty,
    encoder,
    signal,
  );
  // (4 - 2) * 2 + 2 = 6; (5 - 1) * 0.5 + 1 = 3
  expect([...tensor.data]).toEqual([3, 300, 6, 600, 3, 300, 6, 600]);
});

test('the pooled embedding is that of the first chunk', async () => {
  const encoder = createEncoder();
  const { pooled } = await encodeChunks(
    [chunk([3, 2], [4, 1]), chunk([5, 1], [6, 1])],
    empty,
    encoder,
    signal,
  );
  // The empty prompt was encoded before.
  expect(pooled!.data[0]).toBe(2);
  const { pooled: none } = await encodeChunks(
    [chunk([3, 1])],
    empty,
    { encode: async () => ({ tensor: { shape: [1, 1, 1], data: Float32Array.of(3) } }) },
    signal,
  );
  expect(none).toBeUndefined();
});

test('an interrupt ends the encoding before the next chunk', async () => {
  const controller = new AbortController();
  const encoder = createEncoder();
  const encode = async (tokens: readonly (number | Float32Array)[]) => {
    controller.abort(new Error('interrupted'));
    return encoder.encode(tokens);
  };
  const encoding = encodeChunks([chunk([3, 1]), chunk([4, 1])], empty, { encode }, controller.signal);
  await expect(encoding).rejects.toThrow('interrupted');
  expect(encoder.calls()).toBe(1);
});

test('the weight of a token counts for the layer of its number in an encoding by all layers', async () => {
  const encode = async (tokens: readonly (number | Float32Array)[]) => ({
    tensor: {
      shape: [1, 2, 3, 1],
      data: Float32Array.from({ length: 6 }, (_, at) => Number(tokens[0]) + at),
    },
  });
  const weighted = chunk([5, 1], [6, 2], [7, 3]);
  const { tensor } = await encodeChunks([weighted], chunk([1, 1], [1, 1], [1, 1]), { encode }, signal);
  // The second layer is 8, 9, 10 and that of the empty prompt 4, 5, 6. The third token has no layer.
  expect(tensor).toEqual({ shape: [1, 2, 3, 1], data: Float32Array.of(5, 6, 7, 12, 13, 14) });
});
