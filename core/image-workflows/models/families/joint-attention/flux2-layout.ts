import { repeatBatch, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll, requireSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import { checkPromptWidth, guidanceFeed } from '../../networks/transformer-layouts.ts';

/** Texts have at least so many tokens: zeros precede those of shorter ones, as in ComfyUI. */
const TEXT_TOKENS = 512;
/** The first coordinate of the references, which the latent has at 0. */
const REFERENCE_STEP = 10;

/** The positions of tokens: image, row, column and place in the text. */
type Position = readonly [image: number, row: number, column: number, place: number];

/** A token is one cell of the latent. The tokens of references follow those of the latent. */
export const flux2Layout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const batch = x.shape[0]!;
    const references = referenceCells(input);
    const texts = prompts.map(({ tensor }) => padded(tensor));
    checkPromptWidth(requireSlot(session, 'encoder_hidden_states'), prompts);
    const tokens = [repeatBatch(x, prompts.length), ...references.map(({ latent }) => latent)];
    const places = [positionsOf(x, 0), ...references.map(({ latent, image }) => positionsOf(latent, image))];
    const feeds = {
      hidden_states: joined(tokens.map(cells)),
      encoder_hidden_states: toBatch(texts, batch),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      img_ids: rows(places.flat()),
      txt_ids: rows(Array.from({ length: texts[0]!.shape[1]! }, (_, place) => [0, 0, 0, place] as const)),
    };
    return { ...feedAll(session, feeds), ...guidanceFeed(input) };
  },
  toLatent({ shape, data }, x) {
    const [batch = 1, tokens = 0, channels = 0] = shape;
    const count = x.shape[2]! * x.shape[3]!;
    const result = zeros([batch, channels, ...x.shape.slice(2)]);
    // Tokens after those of the latent belong to references.
    for (let image = 0; image < batch; image++)
      for (let channel = 0; channel < channels; channel++)
        for (let cell = 0; cell < count; cell++)
          result.data[(image * channels + channel) * count + cell] =
            data[(image * tokens + cell) * channels + channel]!;
    return result;
  },
};

/** The references of a batch, each with its first coordinate. Prompts of one batch have references of equal sizes. */
function referenceCells({ x, prompts }: NetworkInput): { latent: FloatTensor; image: number }[] {
  const { latents } = prompts[0]?.references ?? { latents: [] };
  return latents.map((_, index) => ({
    latent: toBatch(
      prompts.map(({ references }) => references!.latents[index]!),
      x.shape[0]!,
    ),
    image: (index + 1) * REFERENCE_STEP,
  }));
}

/** [batch, channels, height, width] to [batch, cells, channels]. */
function cells({ shape: [batch = 1, channels = 1, height = 1, width = 1], data }: FloatTensor): FloatTensor {
  const count = height * width;
  const result = zeros([batch, count, channels]);
  for (let image = 0; image < batch; image++)
    for (let channel = 0; channel < channels; channel++)
      for (let cell = 0; cell < count; cell++)
        result.data[(image * count + cell) * channels + channel] =
          data[(image * channels + channel) * count + cell]!;
  return result;
}

/** Tokens of several images, [batch, tokens, features] each, one after the other. */
function joined(parts: readonly FloatTensor[]): FloatTensor {
  if (parts.length === 1) return parts[0]!;
  const [batch = 1, , features = 0] = parts[0]!.shape;
  const counts = parts.map(({ shape }) => shape[1]!);
  const result = zeros([batch, counts.reduce((sum, count) => sum + count, 0), features]);
  let at = 0;
  for (let image = 0; image < batch; image++)
    for (const [index, { data }] of parts.entries()) {
      const size = counts[index]! * features;
      result.data.set(data.subarray(image * size, (image + 1) * size), at);
      at += size;
    }
  return result;
}

function positionsOf({ shape: [, , height = 1, width = 1] }: FloatTensor, image: number): Position[] {
  return Array.from({ length: height * width }, (_, at) => [image, Math.floor(at / width), at % width, 0]);
}

const rows = (positions: readonly Position[]): FloatTensor => ({
  shape: [positions.length, 4],
  data: Float32Array.from(positions.flat()),
});

/** [batch, tokens, width] with zeros before the tokens of a short text. */
function padded(text: FloatTensor): FloatTensor {
  const [batch = 1, tokens = 0, width = 0] = text.shape;
  return tokens >= TEXT_TOKENS ? text : joined([zeros([batch, TEXT_TOKENS - tokens, width]), text]);
}
