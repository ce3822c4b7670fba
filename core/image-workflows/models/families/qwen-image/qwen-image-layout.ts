import { repeatBatch, toBatch } from '../../../values/batches.ts';
import { asFrames } from '../../../values/single-frames.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { feedAll, findSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import { PATCH_SIZE } from '../../networks/packed-tokens.ts';
import { referenceTokens } from '../../networks/transformer-layouts.ts';
import { residualFeeds } from '../../networks/transformer-residuals.ts';
import { packVideo, unpackVideo, type VideoPatch, videoSides } from '../../networks/video-tokens.ts';

const PATCH: VideoPatch = [1, PATCH_SIZE, PATCH_SIZE];

/**
 * Positions count from the center of an image. Those of the text are on the diagonal beyond it. Latents with several
 * layers, [batch, channels, layers, height, width], have the tokens of one layer after the other. The tokens of
 * references follow. Source: Wu et al., "Qwen-Image technical report", 2025, figure 8.
 */
export const qwenImageLayout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const layered = withLayers(x);
    const [layers, down, across] = videoSides(layered, PATCH);
    const references = referenceTokens(prompts, {
      ...x,
      shape: [x.shape[0]!, x.shape[1]!, ...x.shape.slice(-2)],
    });
    const own = Array.from({ length: layers }, (_, layer) =>
      centered(down, across, { layer, top: 0, left: 0 }),
    ).flat();
    const others = references.places.flatMap(({ sides: [height = 0, width = 0], position }) =>
      centered(height / PATCH_SIZE, width / PATCH_SIZE, position),
    );
    const tokens = references.appendTo(packed(repeatBatch(layered, prompts.length)));
    const texts = prompts.map(({ tensor }) => tensor);
    const feeds = {
      hidden_states: tokens,
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(texts, x.shape[0]!),
      img_ids: rows([...own, ...others]),
      txt_ids: rows(textPositions(texts[0]!.shape[1]!, down, across)),
      // Control nets have no such input.
      ...(findSlot(session.inputs, 'moments') && { moments: moments(own.length, others.length, input) }),
    };
    return { ...feedAll(session, feeds), ...residualFeeds(input, tokens.shape[1]!) };
  },
  toLatent({ shape: [batch = 1, count = 0, features = 0], data }, x) {
    const layered = withLayers(x);
    const [layers, down, across] = videoSides(layered, PATCH);
    const size = layers * down * across * features;
    // Tokens after those of the latent belong to references.
    const all = new Float32Array(batch * size);
    for (let at = 0; at < batch; at++)
      all.set(data.subarray(at * count * features, at * count * features + size), at * size);
    const shape = [batch, layers, down * across, features];
    const latent = unpackVideo({ shape, data: all }, layered, PATCH, 'channels first');
    return { shape: [batch, latent.shape[1]!, ...x.shape.slice(2)], data: latent.data };
  },
};

const withLayers = (x: FloatTensor): FloatTensor => (x.shape.length === 5 ? x : asFrames(x));

/** The tokens of all layers, [batch, tokens, features]. */
function packed(layered: FloatTensor): FloatTensor {
  const { shape, data } = packVideo(layered, PATCH, 'channels first');
  const [batch = 1, layers = 1, tokens = 1, features = 1] = shape;
  return { shape: [batch, layers * tokens, features], data };
}

type Position = readonly [layer: number, row: number, column: number];

const rows = (positions: readonly Position[]): FloatTensor => ({
  shape: [positions.length, 3],
  data: Float32Array.from(positions.flat()),
});

function centered(
  down: number,
  across: number,
  { layer, top, left }: { layer: number; top: number; left: number },
): Position[] {
  return Array.from({ length: down * across }, (_, index) => [
    layer,
    top + Math.floor(index / across) - Math.floor(down / 2),
    left + (index % across) - Math.floor(across / 2),
  ]);
}

function textPositions(count: number, down: number, across: number): Position[] {
  const start = Math.max(Math.floor(down / 2), Math.floor(across / 2));
  return Array.from({ length: count }, (_, at) => [start + at, start + at, start + at]);
}

/** The time of each token: the first column is that of the latent, the second one the time 0. */
function moments(own: number, others: number, { prompts }: NetworkInput): FloatTensor {
  const isZero = prompts[0]?.references?.placement === 'index_timestep_zero';
  const data = Float32Array.from({ length: 2 * (own + others) }, (_, at) =>
    Number((at % 2 === 1) === (isZero && at >= 2 * own)),
  );
  return { shape: [own + others, 2], data };
}
