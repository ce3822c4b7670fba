import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { feed, requireSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import { cropToSize, PATCH_SIZE, packTokens, padToEven, unpackTokens } from '../../networks/packed-tokens.ts';
import { referenceTokens } from '../../networks/transformer-layouts.ts';
import { residualFeeds } from '../../networks/transformer-residuals.ts';

/**
 * Positions count from the center of an image. Those of the text are on the diagonal beyond it. The tokens of references
 * follow those of the latent. Source: Wu et al., "Qwen-Image technical report", 2025, figure 8.
 */
export const qwenImageLayout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const padded = padToEven(x);
    const references = referenceTokens(prompts, x);
    const positions = [
      ...centered(padded.shape.slice(2), { layer: 0, top: 0, left: 0 }),
      ...references.places.flatMap(({ sides, position }) => centered(sides, position)),
    ];
    const tokens = references.appendTo(packTokens(repeatBatch(padded, prompts.length)));
    const texts = prompts.map(({ tensor }) => tensor);
    const feeds = {
      hidden_states: tokens,
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(texts, x.shape[0]!),
      img_ids: rows(positions),
      txt_ids: rows(textPositions(input, padded.shape)),
    };
    const own = Object.entries(feeds).map(([name, values]) => [
      name,
      feed(requireSlot(session, name), values),
    ]);
    return { ...Object.fromEntries(own), ...residualFeeds(input, tokens.shape[1]!) };
  },
  toLatent: (output, x) => cropToSize(unpackTokens(output, x), x),
};

type Position = readonly [layer: number, row: number, column: number];

const rows = (positions: readonly Position[]): FloatTensor => ({
  shape: [positions.length, 3],
  data: Float32Array.from(positions.flat()),
});

function centered(
  sides: readonly number[],
  { layer, top, left }: { layer: number; top: number; left: number },
): Position[] {
  const [down = 0, across = 0] = sides.map((side) => side / PATCH_SIZE);
  return Array.from({ length: down * across }, (_, index) => [
    layer,
    top + Math.floor(index / across) - Math.floor(down / 2),
    left + (index % across) - Math.floor(across / 2),
  ]);
}

function textPositions({ prompts }: NetworkInput, shape: readonly number[]): Position[] {
  const [down = 0, across = 0] = shape.slice(2).map((side) => side / PATCH_SIZE);
  const start = Math.max(Math.floor(down / 2), Math.floor(across / 2));
  const [, count = 0] = prompts[0]!.tensor.shape;
  return Array.from({ length: count }, (_, at) => [start + at, start + at, start + at]);
}
