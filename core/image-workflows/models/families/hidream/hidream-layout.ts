import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import {
  cellsApart,
  cellsTogether,
  cropToSize,
  PATCH_SIZE,
  packTokens,
  padToEven,
  unpackTokens,
} from '../../networks/packed-tokens.ts';
import { pooledEmbeddings } from '../../networks/pooled-embeddings.ts';

/**
 * The positions of an image are rows and columns. Those of the text are zeros. An image to be edited stands to the right
 * of the latent, as in HiDreamImageEditingPipeline of diffusers.
 */
export const hidreamLayout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  groupKey: ({ options, concat }) =>
    [options.languageLayers?.shape.slice(1), concat?.shape.slice(1)].join(' '),
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const batch = x.shape[0]!;
    const padded = padToEven(withImages(repeatBatch(x, prompts.length), input));
    const [, channels = 1, height = 0, width = 0] = padded.shape;
    const texts = prompts.map(({ tensor }) => tensor);
    const layers = prompts.map(languageLayers);
    const tokens = texts[0]!.shape[1]! + 2 * layers[0]!.shape[2]!;
    const feeds: Record<string, FloatTensor> = {
      hidden_states: cellsTogether(packTokens(padded), channels),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(texts, batch),
      language_layers: toBatch(layers, batch),
      pooled_projections: pooledEmbeddings(prompts, batch),
      img_ids: positions(height / PATCH_SIZE, width / PATCH_SIZE),
      txt_ids: zeros([tokens, 3]),
    };
    return feedAll(session, feeds);
  },
  toLatent(output, x) {
    const features = output.shape[2]!;
    const [, , height = 1, width = 1] = padToEven(x).shape;
    const own = (height / PATCH_SIZE) * (width / PATCH_SIZE);
    // Tokens for two images lie in the rows of both.
    const wide = { shape: [1, 1, height, (width * output.shape[1]!) / own] };
    const latent = unpackTokens(cellsApart(output, features / PATCH_SIZE ** 2), { ...wide, data: x.data });
    return cropToSize(latent, x);
  },
};

function languageLayers({ options }: NetworkPrompt): FloatTensor {
  if (!options.languageLayers)
    throw new TypeError(
      'HiDream needs prompts by all layers of Llama: encode them with the text encoders of QuadrupleCLIPLoader',
    );
  return options.languageLayers;
}

function positions(rows: number, columns: number): FloatTensor {
  const values = Array.from({ length: rows * columns }, (_, at) => [
    0,
    Math.floor(at / columns),
    at % columns,
  ]);
  return { shape: [rows * columns, 3], data: Float32Array.from(values.flat()) };
}

/** Each row of a latent, followed by the same row of the image. */
function withImages(latents: FloatTensor, { x, prompts }: NetworkInput): FloatTensor {
  const images = prompts.flatMap(({ concat }) => concat ?? []);
  if (images.length === 0) return latents;
  const all = toBatch(images, x.shape[0]!);
  const [batch = 1, channels = 1, height = 1, width = 1] = latents.shape;
  const result = zeros([batch, channels, height, 2 * width]);
  for (let row = 0; row < batch * channels * height; row++) {
    const part = [row * width, (row + 1) * width] as const;
    result.data.set(latents.data.subarray(...part), 2 * row * width);
    result.data.set(all.data.subarray(...part), (2 * row + 1) * width);
  }
  return result;
}
