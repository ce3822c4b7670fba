import { repeatBatch, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll } from '../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../networks/onnx-network.ts';
import {
  cellsApart,
  cellsTogether,
  cropToSize,
  PATCH_SIZE,
  packTokens,
  padToEven,
  unpackTokens,
} from '../../networks/packed-tokens.ts';

export interface Lumina2LayoutOptions {
  /** The numbers of tokens are multiples of this. */
  multiple: number;
  /** The position of the first token of the text. */
  start: number;
}

/** The positions of an image follow those of the text, by row and column. */
export function lumina2Layout({ multiple, start }: Lumina2LayoutOptions): NetworkLayout {
  return {
    outputs: ['out_hidden_states'],
    feeds({ session, x, timestep, prompts }) {
      const padded = padToEven(x);
      const image = cellsTogether(packTokens(repeatBatch(padded, prompts.length)), padded.shape[1]!);
      const text = toBatch(
        prompts.map(({ tensor }) => tensor),
        x.shape[0]!,
      );
      const [imageCount, textCount] = [image.shape[1]!, text.shape[1]!];
      const textLength = roundUp(textCount, multiple);
      const across = padded.shape[3]! / PATCH_SIZE;
      const positions = Array.from({ length: imageCount }, (_, at) => [
        start + textLength,
        Math.floor(at / across),
        at % across,
      ]);
      const feeds = {
        hidden_states: padTokens(image, multiple),
        timestep: { shape: [1], data: Float32Array.of(timestep) },
        encoder_hidden_states: padTokens(text, multiple),
        // Tokens that fill up an image have no position.
        img_ids: table(positions, roundUp(imageCount, multiple)),
        txt_ids: table(
          Array.from({ length: textLength }, (_, at) => [start + at, 0, 0]),
          textLength,
        ),
        ...(multiple > 1 && {
          img_padding: paddingOf(imageCount, multiple),
          txt_padding: paddingOf(textCount, multiple),
        }),
      };
      return feedAll(session, feeds);
    },
    toLatent(output, x) {
      const channels = output.shape[2]! / PATCH_SIZE ** 2;
      return cropToSize(unpackTokens(cellsApart(output, channels), x), x);
    },
  };
}

const roundUp = (count: number, multiple: number): number => Math.ceil(count / multiple) * multiple;

function table(positions: readonly (readonly number[])[], length: number): FloatTensor {
  const result = zeros([length, 3]);
  result.data.set(positions.flat());
  return result;
}

/** Repeats zeros after the tokens of [batch, tokens, width]. */
function padTokens(tokens: FloatTensor, multiple: number): FloatTensor {
  const [batch = 1, count = 0, width = 0] = tokens.shape;
  const length = roundUp(count, multiple);
  if (length === count) return tokens;
  const result = zeros([batch, length, width]);
  for (let index = 0; index < batch; index++)
    result.data.set(
      tokens.data.subarray(index * count * width, (index + 1) * count * width),
      index * length * width,
    );
  return result;
}

function paddingOf(count: number, multiple: number): FloatTensor {
  const result = zeros([1, roundUp(count, multiple), 1]);
  result.data.fill(1, count);
  return result;
}
