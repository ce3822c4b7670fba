import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feed, findSlot } from '../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../networks/onnx-network.ts';
import { pooledEmbeddings } from '../../networks/pooled-embeddings.ts';

/** The width of CLIP L's embeddings of images. */
const IMAGE_WIDTH = 768;
/** The channels of stage C's latents. */
const PRIOR_CHANNELS = 16;
const none = { shape: [1], data: new Float32Array(1) };

/** The inputs of stage C and stage B. Prompts without images or without a latent of stage C get zeros. */
export const cascadeLayout: NetworkLayout = {
  outputs: ['out_sample'],
  feeds({ session, x, timestep, prompts }) {
    const [batch = 1] = x.shape;
    const { shape, data } = pooledEmbeddings(prompts, batch);
    const feeds: Record<string, FloatTensor> = {
      sample: repeatBatch(x, prompts.length),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      sca: none,
      crp: none,
      pooled: { shape: [shape[0]!, 1, shape[1]!], data },
      ...promptFeeds(prompts, batch),
    };
    return Object.fromEntries(
      Object.entries(feeds).flatMap(([name, values]) => {
        const slot = findSlot(session.inputs, name);
        return slot ? [[name, feed(slot, values)]] : [];
      }),
    );
  },
};

function promptFeeds(prompts: readonly NetworkPrompt[], batch: number): Record<string, FloatTensor> {
  const images = prompts.map(({ classLabels }) => classLabels ?? zeros([1, 1, IMAGE_WIDTH]));
  const priors = prompts.map(({ concat }) => concat ?? zeros([1, PRIOR_CHANNELS, 1, 1]));
  return {
    encoder_hidden_states: toBatch(
      prompts.map(({ tensor }) => tensor),
      batch,
    ),
    image_embeds: toBatch(images, batch),
    prior: toBatch(priors, batch),
  };
}

/** The images that stage C varies, [1, images, width], with their strengths. */
export const stageCInputs: NonNullable<DiffusionModel['imageInputs']> = ({ unclip }) => {
  if (!unclip) return { classLabels: zeros([1, 1, IMAGE_WIDTH]) };
  const rows = unclip.flatMap(({ visionOutput: { imageEmbeds }, strength }) => {
    if (imageEmbeds?.shape.at(-1) !== IMAGE_WIDTH)
      throw new TypeError(
        `Stable Cascade takes image embeddings of ${IMAGE_WIDTH} numbers: use the CLIP_VISION of its checkpoint, or CLIP L`,
      );
    return [...imageEmbeds.data].map((value) => value * strength);
  });
  return {
    classLabels: { shape: [1, rows.length / IMAGE_WIDTH, IMAGE_WIDTH], data: Float32Array.from(rows) },
  };
};

/** The latent of stage C that stage B enlarges. */
export const stageBInputs: NonNullable<DiffusionModel['imageInputs']> = ({ prior }) =>
  prior ? { concat: prior } : {};
