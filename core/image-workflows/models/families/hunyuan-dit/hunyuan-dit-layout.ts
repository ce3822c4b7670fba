import { roundHalfEven } from '../../../images/rounding.ts';
import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, full } from '../../../values/tensor.ts';
import { feed, findSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import { cropToSize, PATCH_SIZE, padToEven } from '../../networks/packed-tokens.ts';
import { residualFeeds } from '../../networks/transformer-residuals.ts';

/** Positions along each side of a square. Those of other images lie in the middle of it. */
const GRID = 32;
/** Pixels along each side, for prompts that set no size. */
const USUAL_SIDE = 768;

/** The prompt by two encoders. The masks say which of its tokens count. */
export const hunyuanDitLayout: NetworkLayout = {
  outputs: ['out_sample'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const batch = x.shape[0]!;
    const padded = padToEven(x);
    const texts = prompts.map(secondText);
    const feeds: Record<string, FloatTensor> = {
      hidden_states: repeatBatch(padded, prompts.length),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
      encoder_hidden_states_t5: toBatch(
        texts.map(({ tensor }) => tensor),
        batch,
      ),
      text_embedding_mask: toBatch(prompts.map(jointMask), batch),
      positions: positionsOf(padded.shape),
      image_meta_size: toBatch(prompts.map(imageSize), batch),
    };
    const own = Object.entries(feeds).flatMap(([name, values]) => {
      const slot = findSlot(session.inputs, name);
      return slot ? [[name, feed(slot, values)]] : [];
    });
    const [, , height = 0, width = 0] = padded.shape;
    const tokens = (height / PATCH_SIZE) * (width / PATCH_SIZE);
    return { ...Object.fromEntries(own), ...residualFeeds(input, tokens) };
  },
  toLatent: (output, x) => cropToSize(output, x),
};

function secondText({ options }: NetworkPrompt): NonNullable<NetworkPrompt['options']['secondText']> {
  if (!options.secondText)
    throw new TypeError(
      'this model needs prompts by two encoders, BERT and mT5: encode them with the text encoders of HunyuanDiT',
    );
  return options.secondText;
}

function jointMask(prompt: NetworkPrompt): FloatTensor {
  const second = secondText(prompt);
  const [first, last] = [
    prompt.options.attentionMask ?? full(prompt.tensor.shape.slice(0, 2), 1),
    second.attentionMask ?? full(second.tensor.shape.slice(0, 2), 1),
  ];
  const data = Float32Array.of(...first.data, ...last.data);
  return { shape: [1, data.length, 1], data };
}

/** Height and width in pixels, of the original and of the result, and where the result was cut out. */
function imageSize({ options: { sizes } }: NetworkInput['prompts'][number]): FloatTensor {
  const { height = USUAL_SIDE, width = USUAL_SIDE } = sizes ?? {};
  const { targetHeight = height, targetWidth = width } = sizes ?? {};
  return { shape: [1, 6], data: Float32Array.of(height, width, targetHeight, targetWidth, 0, 0) };
}

/** Column and row of each token. The longer side extends over the grid. */
function positionsOf([, , height = 0, width = 0]: readonly number[]): FloatTensor {
  const [down, across] = [height / PATCH_SIZE, width / PATCH_SIZE];
  const isTall = down > across;
  const rows = isTall ? GRID : roundHalfEven((GRID / across) * down);
  const columns = isTall ? roundHalfEven((GRID / down) * across) : GRID;
  const [top, left] = [roundHalfEven((GRID - rows) / 2), roundHalfEven((GRID - columns) / 2)];
  const data = new Float32Array(down * across * 2);
  for (let at = 0; at < down * across; at++) {
    data[2 * at] = left + (columns * (at % across)) / across;
    data[2 * at + 1] = top + (rows * Math.floor(at / across)) / down;
  }
  return { shape: [down * across, 2], data };
}
