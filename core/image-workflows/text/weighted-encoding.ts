import { type FloatTensor, zeros } from '../values/tensor.ts';
import type { WeightedToken } from './token-chunks.ts';

/** One text encoder on a device: a chunk of tokens at a time. */
export interface ChunkEncoder {
  /** [1, tokens, width], and [1, width'] where the encoder has a summary of the whole. */
  encode(
    tokens: readonly (number | Float32Array)[],
    signal: AbortSignal,
  ): Promise<{ tensor: FloatTensor; pooled?: FloatTensor }>;
}

/**
 * All chunks of a prompt, of one length, one after another, [1, chunks x tokens, width]. A token that counts otherwise than 1 is moved away
 * from, or towards, what the encoder says there of an empty prompt. The summary is the first chunk's.
 */
export async function encodeChunks(
  chunks: readonly (readonly WeightedToken[])[],
  emptyChunk: readonly WeightedToken[],
  encoder: ChunkEncoder,
  signal: AbortSignal,
): Promise<{ tensor: FloatTensor; pooled?: FloatTensor }> {
  const encode = (chunk: readonly WeightedToken[]) => {
    signal.throwIfAborted();
    return encoder.encode(
      chunk.map(({ token }) => token),
      signal,
    );
  };
  const isWeighted = chunks.some((chunk) => chunk.some(({ weight }) => weight !== 1));
  const empty = isWeighted ? (await encode(emptyChunk)).tensor : undefined;
  const encoded = [];
  for (const chunk of chunks) encoded.push(await encode(chunk));
  const [, tokens = 0, width = 0] = encoded[0]!.tensor.shape;
  const tensor = zeros([1, chunks.length * tokens, width]);
  for (const [index, { tensor: part }] of encoded.entries()) {
    const at = index * tokens * width;
    tensor.data.set(part.data, at);
    for (const [place, { weight }] of chunks[index]!.entries()) {
      if (weight === 1 || !empty) continue;
      for (let i = place * width; i < (place + 1) * width; i++)
        tensor.data[at + i] = (part.data[i]! - empty.data[i]!) * weight + empty.data[i]!;
    }
  }
  const { pooled } = encoded[0]!;
  return { tensor, ...(pooled && { pooled }) };
}
