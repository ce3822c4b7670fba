import { concatChannels, repeatBatch, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll } from '../../graphs/session-tensors.ts';
import { frameTimes } from '../../networks/frame-times.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import {
  packVideo,
  unpackVideo,
  type VideoPatch,
  videoPositions,
  videoSides,
} from '../../networks/video-tokens.ts';

const PATCH: VideoPatch = [1, 2, 2];
/** Frames of a second in training. */
const FRAME_RATE = 24;

export interface CosmosLayoutOptions {
  /** The network takes a channel that is 1 for the given frames. */
  seesGivenFrames: boolean;
  /** Each frame has a time of its own. */
  hasFrameTimes: boolean;
}

/** The tokens of a video with their places. A last channel would mark cells around the video: here are none. */
export const cosmosLayout = ({ seesGivenFrames, hasFrameTimes }: CosmosLayoutOptions): NetworkLayout => ({
  outputs: ['out_hidden_states'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const [batch = 1] = x.shape;
    const { noiseMask, options } = prompts[0]!;
    const latents = repeatBatch(x, prompts.length);
    const marked = seesGivenFrames ? concatChannels(latents, givenFrames(input)) : latents;
    const feeds: Record<string, FloatTensor> = {
      hidden_states: packVideo(concatChannels(marked, channelOf(latents)), PATCH, 'channels first'),
      timestep: frameTimes(timestep, hasFrameTimes ? noiseMask : undefined),
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
      ids: videoPositions(videoSides(x, PATCH)),
      frame_step: {
        shape: [1],
        data: Float32Array.of(FRAME_RATE / (options.timing?.frameRate ?? FRAME_RATE)),
      },
    };
    return feedAll(session, feeds);
  },
  toLatent: (output, x) => unpackVideo(output, x, PATCH, 'channels last'),
});

/** One channel of zeros for latents. */
const channelOf = ({ shape: [batch = 1, , ...sides] }: FloatTensor): FloatTensor =>
  zeros([batch, 1, ...sides]);

/** 1 where the latent gets no noise. */
function givenFrames({ x, prompts }: NetworkInput): FloatTensor {
  const marks = prompts.map(({ noiseMask }) =>
    noiseMask ? { shape: noiseMask.shape, data: noiseMask.data.map((value) => 1 - value) } : channelOf(x),
  );
  return toBatch(marks, x.shape[0]!);
}
