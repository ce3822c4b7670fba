import type { NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/** The number of tokens up to the last one that is seen. At least one. */
export function seenCount({ tensor, options: { attentionMask } }: NetworkPrompt): number {
  if (!attentionMask) return tensor.shape[1]!;
  return attentionMask.data.reduce((last, value, at) => {
    const token = (at % attentionMask.shape[1]!) + 1;
    return value > 0 && token > last ? token : last;
  }, 1);
}

/** The tokens of a prompt without those at the end that are not seen: [batch, tokens, width]. */
export function seenTokens(prompt: NetworkPrompt): FloatTensor {
  const { shape, data } = prompt.tensor;
  const [batch = 1, tokens = 0, width = 0] = shape;
  const count = seenCount(prompt);
  if (count === tokens) return prompt.tensor;
  const result = zeros([batch, count, width]);
  for (let index = 0; index < batch; index++)
    result.data.set(
      data.subarray(index * tokens * width, (index * tokens + count) * width),
      index * count * width,
    );
  return result;
}
