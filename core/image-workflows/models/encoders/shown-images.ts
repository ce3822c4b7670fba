/** Images in prompts as tokens that a vision encoder has made, and the parts of an encoding that a network takes. */
import { type PromptTemplate, promptRange } from '../../text/prompt-template.ts';
import type { PromptPart, WeightedToken } from '../../text/token-chunks.ts';
import type { ShownImages } from '../../values/clip-model.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { TextEncoding } from './combine-encodings.ts';

/**
 * The prompt with the tokens of images in the places of its markers.
 * @throws TypeError when the vision encoder has made no tokens for language models
 */
export function withShownImages(
  parts: readonly PromptPart[],
  marker: number,
  { tokens }: ShownImages,
): PromptPart[] {
  if (!tokens)
    throw new TypeError(
      'this vision encoder makes no tokens for language models: load llava_llama3_vision.safetensors with CLIPVisionLoader',
    );
  const [images = 0, count = 0, width = 0] = tokens.shape;
  let image = 0;
  return parts.map((part) =>
    typeof part === 'symbol'
      ? part
      : part.flatMap((token): WeightedToken[] => {
          if (token.token !== marker || image === images) return [token];
          const start = image++ * count * width;
          return Array.from({ length: count }, (_, at) => ({
            token: tokens.data.slice(start + at * width, start + (at + 1) * width),
            weight: 1,
          }));
        }),
  );
}

/**
 * The encoding of the prompt itself, without its template. The tokens of images before it come first, as many as
 * `interleave` leaves (HunyuanVideoImageToVideoPipeline of diffusers).
 */
export function promptPart(
  encoding: TextEncoding,
  chunk: readonly WeightedToken[],
  template: PromptTemplate,
  shown?: ShownImages,
): TextEncoding {
  const [start, end] = promptRange(template, chunk);
  const before = shown
    ? chunk.slice(0, start).flatMap(({ token }, at) => (typeof token === 'number' ? [] : [at]))
    : [];
  const count = shown?.tokens?.shape[1] ?? 1;
  const taken = before.filter((_, at) => (at % count) % (shown?.interleave ?? 1) === 0);
  return picked(encoding, [...taken, ...Array.from({ length: end - start }, (_, at) => start + at)]);
}

/** The tokens with these numbers. */
function picked(encoding: TextEncoding, numbers: readonly number[]): TextEncoding {
  const { tensor, attentionMask } = encoding;
  return {
    ...encoding,
    tensor: pickRows(tensor, numbers),
    ...(attentionMask && { attentionMask: pickRows(attentionMask, numbers) }),
  };
}

/** Rows of [1, rows, …]. */
function pickRows(
  { shape: [, rows = 1, ...sides], data }: FloatTensor,
  numbers: readonly number[],
): FloatTensor {
  const size = data.length / rows;
  const result = zeros([1, numbers.length, ...sides]);
  for (const [at, number] of numbers.entries())
    result.data.set(data.subarray(number * size, (number + 1) * size), at * size);
  return result;
}
