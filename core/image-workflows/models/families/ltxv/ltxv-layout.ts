import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, full } from '../../../values/tensor.ts';
import { feedAll, requireSlot } from '../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../networks/onnx-network.ts';
import { packVideo, unpackVideo, type VideoPatch, videoSides } from '../../networks/video-tokens.ts';
import { videoAngles } from './video-angles.ts';

/** Each cell of the latent is a token. */
const PATCH: VideoPatch = [1, 1, 1];
/** Frames for each second, for prompts that set no number. */
const USUAL_RATE = 25;

/** @param isFirstAlone as in `VideoPlace` */
export const ltxvLayout = (isFirstAlone: boolean): NetworkLayout => ({
  outputs: ['out_hidden_states'],
  feeds({ session, x, timestep, prompts }) {
    const batch = x.shape[0]!;
    const { shape, data } = packVideo(repeatBatch(x, prompts.length), PATCH, 'channels first');
    const [videos = 1, frames = 1, cells = 1, features = 1] = shape;
    const frameRate = prompts[0]?.options.timing?.frameRate || USUAL_RATE;
    const width = Number(requireSlot(session, 'angles').shape[1]) * 2;
    const feeds = {
      hidden_states: { data, shape: [videos, frames * cells, features] },
      timestep: cellTimes(timestep, prompts[0]?.noiseMask),
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
      attention_mask: toBatch(prompts.map(visibleTokens), batch),
      angles: videoAngles({
        sides: videoSides(x, PATCH),
        frameRate,
        isFirstAlone,
        width,
        lastPlaces: keyPlaces(prompts, frames * cells),
      }),
    };
    return feedAll(session, feeds);
  },
  toLatent({ shape: [batch = 1, , channels = 1], data }, x) {
    const [frames, rows, columns] = videoSides(x, PATCH);
    return unpackVideo(
      { shape: [batch, frames, rows * columns, channels], data },
      x,
      PATCH,
      'channels first',
    );
  },
});

/** Where the guides of the prompts stand. Throws a `TypeError` when the latent is too short for them. */
function keyPlaces([first, ...others]: readonly NetworkPrompt[], tokens: number): FloatTensor | undefined {
  const places = first?.videoInputs?.places;
  for (const { videoInputs } of others)
    if (videoInputs?.places && String(videoInputs.places.data) !== String(places?.data))
      throw new TypeError(
        'the guides of both prompts stand in different places: use the outputs of one LTXVAddGuide',
      );
  if (places && places.shape[0]! >= tokens)
    throw new TypeError(
      `the guides of the prompt have ${places.shape[0]} cells, and the latent ${tokens}: use the latent of LTXVAddGuide`,
    );
  return places;
}

const visibleTokens = ({ tensor, options }: NetworkPrompt): FloatTensor =>
  options.attentionMask ?? full(tensor.shape.slice(0, 2), 1);

/** Cells without noise are clean: their time is 0. */
function cellTimes(timestep: number, mask: FloatTensor | undefined): FloatTensor {
  if (!mask) return { shape: [1], data: Float32Array.of(timestep) };
  const cells = mask.data.length / mask.shape[0]!;
  return { shape: [cells], data: mask.data.slice(0, cells).map((share) => share * timestep) };
}
