/** The inputs and outputs of UNets in the diffusers layout. */
import type { Tensor, TensorSession, TensorSlot } from '#core/host';
import { concatChannels, repeatBatch, toBatch } from '../../values/batches.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import type { ResidualShapes } from './control-residuals.ts';
import { gligenFeeds } from './gligen-inputs.ts';
import type { NetworkLayout } from './onnx-network.ts';
import { pooledEmbeddings } from './pooled-embeddings.ts';
import { unetResidualFeeds } from './unet-residuals.ts';

/** A good image on the refiner's scale of 1 to 10, for prompts that set no score. */
const USUAL_AESTHETIC_SCORE = 6;
/** LCM's usual guidance scale, for prompts that set none. */
const USUAL_LCM_GUIDANCE = 7.5;

/** @param residualShapes the shapes of control net residuals, for UNets that were exported with inputs for them. */
export function unetLayout(residualShapes: ResidualShapes): NetworkLayout {
  return {
    outputs: ['out_sample', 'sample'],
    feeds({ session, x, timestep, prompts }) {
      const batch = x.shape[0]!;
      const labels = findSlot(session.inputs, 'class_labels');
      return {
        ...unetFeeds(session, concatInput(x, prompts, session), timestep, prompts, batch),
        ...(labels && { [labels.name]: feed(labels, classLabels(labels, prompts, batch)) }),
        ...frameFeed(session, batch),
        ...gligenFeeds(session, prompts, x.shape),
        ...unetResidualFeeds({ session, x, prompts }, residualShapes),
      };
    },
  };
}

/**
 * The inputs that UNets share with their control nets: the noisy latent, timestep and text embeddings, SDXL's sizes and
 * pooled embeddings, and LCM's guidance scale.
 */
export function unetFeeds(
  session: TensorSession,
  input: FloatTensor,
  timestep: number,
  prompts: readonly Pick<NetworkPrompt, 'tensor' | 'options'>[],
  batch: number,
): Record<string, Tensor> {
  const sample = requireSlot(session, 'sample');
  const time = requireSlot(session, 'timestep');
  const text = requireSlot(session, 'encoder_hidden_states');
  const pooled = findSlot(session.inputs, 'text_embeds');
  const sizes = findSlot(session.inputs, 'time_ids');
  const guidance = findSlot(session.inputs, 'timestep_cond');
  checkPromptWidth(text, prompts);
  const feeds: Record<string, Tensor> = {
    [sample.name]: feed(sample, input),
    [time.name]: feed(time, { shape: time.shape.length === 0 ? [] : [1], data: Float32Array.of(timestep) }),
    [text.name]: feed(
      text,
      toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
    ),
  };
  if (pooled) feeds[pooled.name] = feed(pooled, pooledEmbeddings(prompts, batch));
  if (sizes) {
    const count = Number(sizes.shape.at(-1)) || 6;
    const ids = prompts.map(({ options }) => timeIds(options, input.shape, count));
    feeds[sizes.name] = feed(sizes, toBatch(ids, batch));
  }
  if (guidance) {
    const width = Number(guidance.shape.at(-1)) || 256;
    const scales = prompts.map(({ options }) =>
      guidanceEmbedding(Number(options.guidance ?? USUAL_LCM_GUIDANCE) - 1, width),
    );
    feeds[guidance.name] = feed(guidance, toBatch(scales, batch));
  }
  return feeds;
}

/** The width of a network's prompts is a part of its weights. */
function checkPromptWidth({ shape }: TensorSlot, prompts: readonly Pick<NetworkPrompt, 'tensor'>[]): void {
  const width = shape.at(-1);
  for (const { tensor } of prompts)
    if (typeof width === 'number' && tensor.shape.at(-1) !== width)
      throw new TypeError(
        `this network takes prompts of ${width} numbers for each token, and this prompt has ${tensor.shape.at(-1)}: use a text encoder of the same kind of model`,
      );
}

/** The noisy latent for each prompt, followed by the additional channels of inpainting and image editing models. */
function concatInput(x: FloatTensor, prompts: readonly NetworkPrompt[], session: TensorSession): FloatTensor {
  const latents = repeatBatch(x, prompts.length);
  if (!prompts.some(({ concat }) => concat)) return latents;
  const channels = requireSlot(session, 'sample').shape[1];
  const parts = prompts.map(({ concat }) => {
    if (!concat) throw new Error('every prompt of this model needs the image that it is to change');
    return concat;
  });
  const input = concatChannels(latents, toBatch(parts, x.shape[0]!));
  if (typeof channels === 'number' && input.shape[1] !== channels)
    throw new Error(`this model takes ${channels} channels, and its input has ${input.shape[1]}`);
  return input;
}

/** Networks of videos take a batch as the frames of one video. */
function frameFeed(session: TensorSession, batch: number): Record<string, Tensor> {
  const slot = findSlot(session.inputs, 'num_frames');
  return slot ? { [slot.name]: feed(slot, { shape: [1], data: Float32Array.of(batch) }) } : {};
}

/** Image embeddings or noise levels. They are zeros for prompts without an image. */
function classLabels(slot: TensorSlot, prompts: readonly NetworkPrompt[], batch: number): FloatTensor {
  const [present] = prompts.flatMap(({ classLabels }) => classLabels ?? []);
  const width = slot.shape.length < 2 ? [] : [Number(slot.shape.at(-1)) || (present?.shape.at(-1) ?? 0)];
  const none = zeros([1, ...width]);
  for (const { classLabels: { shape } = none } of prompts)
    if (shape.slice(1).join() !== width.join())
      throw new TypeError(
        `this model takes image embeddings of ${(width[0] ?? 2) / 2} numbers; the vision encoder's have ${(shape[1] ?? 2) / 2}: use the CLIP_VISION of the same checkpoint`,
      );
  return toBatch(
    prompts.map(({ classLabels }) => classLabels ?? none),
    batch,
  );
}

/**
 * SDXL's micro-conditioning (Podell et al., "SDXL", 2023, section 2.2): original size, crop and target size. The refiner
 * takes five numbers, with the aesthetic score instead of the target size.
 */
function timeIds(
  { sizes = {} }: NetworkPrompt['options'],
  [, , latentHeight = 0, latentWidth = 0]: readonly number[],
  count: number,
): FloatTensor {
  const [height, width] = [sizes.height ?? latentHeight * 8, sizes.width ?? latentWidth * 8];
  const ids = [height, width, sizes.cropTop ?? 0, sizes.cropLeft ?? 0];
  if (count === 5) ids.push(sizes.aestheticScore ?? USUAL_AESTHETIC_SCORE);
  else ids.push(sizes.targetHeight ?? height, sizes.targetWidth ?? width);
  return { shape: [1, ids.length], data: Float32Array.from(ids) };
}

/** The guidance scale as an input of LCM's network (Luo et al., 2023, section 4.2): a sinusoidal embedding. */
function guidanceEmbedding(scale: number, width: number): FloatTensor {
  const half = Math.floor(width / 2);
  const data = new Float32Array(width);
  for (let i = 0; i < half; i++) {
    const angle = scale * 1000 * Math.exp((-Math.log(10000) * i) / (half - 1));
    data[i] = Math.sin(angle);
    data[half + i] = Math.cos(angle);
  }
  return { shape: [1, width], data };
}
