import { roundHalfEven } from '../../../images/rounding.ts';
import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { feed, findSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import { cropToSize, PATCH_SIZE, padToEven } from '../../networks/packed-tokens.ts';

/** Pixels per latent cell along each side. */
const CELL = 8;
/** Latent cells along each side of the smallest training images: positions are scaled in multiples of this. */
const TRAINING_CELLS = 64;

/**
 * @param width of a token
 * @param scale divides positions: how much larger the training images were. Undefined: it follows from the image's size
 */
export const pixartLayout = (width: number, scale?: number): NetworkLayout => ({
  outputs: ['out_sample'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const padded = padToEven(x);
    const texts = prompts.map(({ tensor }) => tensor);
    const feeds: Record<string, FloatTensor> = {
      hidden_states: repeatBatch(padded, prompts.length),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(texts, x.shape[0]!),
      positions: positionEmbeddings(padded.shape, width, scale),
      ...imageSizes(input),
    };
    return Object.fromEntries(
      Object.entries(feeds).flatMap(([name, values]) => {
        const slot = findSlot(session.inputs, name);
        return slot ? [[name, feed(slot, values)]] : [];
      }),
    );
  },
  toLatent: (output, x) => cropToSize(output, x),
});

/** Height and width in pixels, and their ratio, for each prompt and image. */
function imageSizes({ x, prompts }: NetworkInput): Record<'resolution' | 'aspect_ratio', FloatTensor> {
  const [batch = 1, , rows = 1, columns = 1] = x.shape;
  const sizes = prompts.map(({ options }) => [
    options.sizes?.height ?? rows * CELL,
    options.sizes?.width ?? columns * CELL,
  ]);
  const all = (numbers: readonly number[][]) =>
    toBatch(
      numbers.map((row) => ({ shape: [1, row.length], data: Float32Array.from(row) })),
      batch,
    );
  return { resolution: all(sizes), aspect_ratio: all(sizes.map(([height, width]) => [height! / width!])) };
}

/**
 * Sines and cosines of columns and rows at falling frequencies (Vaswani et al., 2017, section 3.5): [1, tokens, width].
 * Images of all sizes extend over the positions of a square of about their area.
 */
function positionEmbeddings(
  [, , height = 0, width = 0]: readonly number[],
  features: number,
  scale?: number,
): FloatTensor {
  const [down, across] = [height / PATCH_SIZE, width / PATCH_SIZE];
  const steps = Math.max(1, roundHalfEven(Math.floor((height + width) / 2) / TRAINING_CELLS));
  const base = (steps * TRAINING_CELLS) / PATCH_SIZE;
  const divisor = scale ?? steps;
  const quarter = features / 4;
  const data = new Float32Array(down * across * features);
  const put = (at: number, position: number) => {
    for (let i = 0; i < quarter; i++) {
      const angle = position * 10_000 ** (-i / quarter);
      data[at + i] = Math.sin(angle);
      data[at + quarter + i] = Math.cos(angle);
    }
  };
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across; column++) {
      const at = (row * across + column) * features;
      put(at, (column * base) / across / divisor);
      put(at + 2 * quarter, (row * base) / down / divisor);
    }
  return { shape: [1, down * across, features], data };
}
