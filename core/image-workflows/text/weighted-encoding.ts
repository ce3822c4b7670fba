import { type FloatTensor, zeros } from '../values/tensor.ts';
import type { WeightedToken } from './token-chunks.ts';

/** A text encoder that encodes one chunk of tokens at a time. */
export interface ChunkEncoder {
  encode(tokens: readonly (number | Float32Array)[], signal: AbortSignal): Promise<ChunkEncoding>;
}

export interface ChunkEncoding {
  /** [1, tokens, width], or by all layers [1, layers, tokens, width]. */
  tensor: FloatTensor;
  /** [1, pooled width] */
  pooled?: FloatTensor;
  /** 1 for tokens that the network may see and 0 for others, [1, tokens]. Undefined: it sees all. */
  attentionMask?: FloatTensor;
}

/**
 * Encodes all chunks of a prompt and concatenates them: [1, chunks * tokens, width]. A weight w other than 1 scales the
 * difference to the empty prompt at the same token: (encoded - empty) * w + empty. The pooled embedding and the mask are
 * those of the first chunk.
 *
 * In an encoding by all layers, the weight of a token counts for the layer of the same number. ComfyUI does the same: its
 * loop over tokens runs over the second axis.
 * @param chunks of one length, at least one
 */
export async function encodeChunks(
  chunks: readonly (readonly WeightedToken[])[],
  emptyChunk: readonly WeightedToken[],
  encoder: ChunkEncoder,
  signal: AbortSignal,
): Promise<ChunkEncoding> {
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
  const [, tokens = 0, ...sides] = encoded[0]!.tensor.shape;
  const width = sides.reduce((product, side) => product * side, 1);
  const tensor = zeros([1, chunks.length * tokens, ...sides]);
  for (const [index, { tensor: part }] of encoded.entries()) {
    const offset = index * tokens * width;
    tensor.data.set(part.data, offset);
    for (const [position, { weight }] of chunks[index]!.entries()) {
      if (weight === 1 || !empty || position >= tokens) continue;
      for (let i = position * width; i < (position + 1) * width; i++)
        tensor.data[offset + i] = (part.data[i]! - empty.data[i]!) * weight + empty.data[i]!;
    }
  }
  return { ...encoded[0]!, tensor };
}
