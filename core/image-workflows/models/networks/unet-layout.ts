import type { Tensor, TensorSession, TensorSlot } from '#core/host';
import type { NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { concatChannels, pooledEmbeddings, repeatBatch, toBatch } from './batches.ts';
import { isUnetResidual, type ResidualShapes } from './control-residuals.ts';
import { gligenFeeds } from './gligen-inputs.ts';
import type { NetworkLayout } from './onnx-network.ts';

/** A UNet in the diffusers layout. `residuals`: what control nets add to it, where it was exported with inputs for that. */
export function unetLayout(residuals: ResidualShapes): NetworkLayout {
  return {
    outputs: ['out_sample', 'sample'],
    feeds({ session, x, timestep, prompts }) {
      const feeds = unetFeeds(session, withConcat(x, prompts, session), timestep, prompts, x.shape[0]!);
      const labels = findSlot(session.inputs, 'class_labels');
      if (labels) feeds[labels.name] = feed(labels, classLabels(labels, prompts, x.shape[0]!));
      Object.assign(feeds, gligenFeeds(session, prompts, x.shape));
      for (const [name, tensor] of Object.entries(residualFeeds(session, x, prompts, residuals)))
        feeds[name] = tensor;
      return feeds;
    },
  };
}

/** What UNets and the control nets for them take: noisy latents, time, prompts and what SDXL and LCM are told besides. */
export function unetFeeds(
  session: TensorSession,
  samples: FloatTensor,
  timestep: number,
  prompts: readonly Pick<NetworkPrompt, 'tensor' | 'options'>[],
  batch: number,
): Record<string, Tensor> {
  const sample = requireSlot(session, 'sample');
  const time = requireSlot(session, 'timestep');
  const text = requireSlot(session, 'encoder_hidden_states');
  const summary = findSlot(session.inputs, 'text_embeds');
  const sizes = findSlot(session.inputs, 'time_ids');
  const guidance = findSlot(session.inputs, 'timestep_cond');
  const feeds: Record<string, Tensor> = {
    [sample.name]: feed(sample, samples),
    [time.name]: feed(time, { shape: time.shape.length === 0 ? [] : [1], data: Float32Array.of(timestep) }),
    [text.name]: feed(
      text,
      toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
    ),
  };
  if (summary) feeds[summary.name] = feed(summary, pooledEmbeddings(prompts, batch));
  if (sizes) {
    const count = Number(sizes.shape.at(-1)) || 6;
    const ids = prompts.map(({ options }) => sizeIds(options, samples.shape, count));
    feeds[sizes.name] = feed(sizes, toBatch(ids, batch));
  }
  if (guidance) {
    const width = Number(guidance.shape.at(-1)) || 256;
    const scale = prompts.map(({ options }) => guidanceVector(Number(options.guidance ?? 7.5) - 1, width));
    feeds[guidance.name] = feed(guidance, toBatch(scale, batch));
  }
  return feeds;
}

/** Channels put after those of the noisy latent, as inpainting models have them. */
function withConcat(x: FloatTensor, prompts: readonly NetworkPrompt[], session: TensorSession): FloatTensor {
  const samples = repeatBatch(x, prompts.length);
  if (!prompts.some(({ concat }) => concat)) return samples;
  const wanted = requireSlot(session, 'sample').shape[1];
  const parts = prompts.map(({ concat }) => {
    if (!concat) throw new Error('every prompt of this model needs the picture that it is to change');
    return concat;
  });
  const whole = concatChannels(samples, toBatch(parts, x.shape[0]!));
  if (typeof wanted === 'number' && whole.shape[1] !== wanted)
    throw new Error(`this model takes ${wanted} channels, and ${whole.shape[1]} are given`);
  return whole;
}

/** What the network is told of pictures: zeros where there is nothing to tell. */
function classLabels(slot: TensorSlot, prompts: readonly NetworkPrompt[], batch: number): FloatTensor {
  const [known] = prompts.flatMap(({ classLabels }) => classLabels ?? []);
  const width = slot.shape.length < 2 ? [] : [Number(slot.shape.at(-1)) || (known?.shape.at(-1) ?? 0)];
  const none = zeros([1, ...width]);
  for (const { classLabels: { shape } = none } of prompts)
    if (shape.slice(1).join() !== width.join())
      throw new TypeError(
        `this model is told of pictures in ${(width[0] ?? 2) / 2} numbers; the vision encoder gives ${(shape[1] ?? 2) / 2}: use the CLIP_VISION of the same checkpoint`,
      );
  return toBatch(
    prompts.map(({ classLabels }) => classLabels ?? none),
    batch,
  );
}

/** What control nets add: zeros where there is none. Throws where a control net is wanted and there is no way in for it. */
function residualFeeds(
  session: TensorSession,
  x: FloatTensor,
  prompts: readonly NetworkPrompt[],
  residuals: ResidualShapes,
): Record<string, Tensor> {
  const slots = session.inputs.filter(({ name }) => isUnetResidual(name));
  const isControlled = prompts.some(({ control }) => control);
  if (slots.length === 0) {
    if (!isControlled) return {};
    throw new Error(
      "this model's UNet has no inputs for what a control net adds (down_block_…, mid_block_…): export it with them",
    );
  }
  const batch = x.shape[0]!;
  const shapes = residuals(x.shape, slots.length);
  return Object.fromEntries(
    slots.map((slot, index) => {
      const parts = prompts.map(({ control }) => control?.[index] ?? zeros([batch, ...shapes[index]!]));
      return [slot.name, feed(slot, toBatch(parts, batch))];
    }),
  );
}

/** What the refiner is told of a picture where nothing is said: well above the middle. */
const USUAL_SCORE = 6;

/**
 * SDXL's micro-conditioning (Podell et al., "SDXL", 2023, section 2.2): original size, crop, target size. The refiner takes
 * five: how much the picture is liked in place of the target size.
 */
function sizeIds(
  options: NetworkPrompt['options'],
  [, , height = 0, width = 0]: readonly number[],
  count: number,
): FloatTensor {
  const { sizes = {} } = options;
  const [high, wide] = [sizes.height ?? height * 8, sizes.width ?? width * 8];
  const ids = [high, wide, sizes.cropTop ?? 0, sizes.cropLeft ?? 0];
  if (count === 5) ids.push(sizes.aestheticScore ?? USUAL_SCORE);
  else ids.push(sizes.targetHeight ?? high, sizes.targetWidth ?? wide);
  return { shape: [1, ids.length], data: Float32Array.from(ids) };
}

/** The guidance scale as an input of LCM's network (Luo et al., 2023, section 4.2): sines and cosines, as times are told. */
function guidanceVector(scale: number, width: number): FloatTensor {
  const half = Math.floor(width / 2);
  const data = new Float32Array(width);
  for (let i = 0; i < half; i++) {
    const angle = scale * 1000 * Math.exp((-Math.log(10000) * i) / (half - 1));
    data[i] = Math.sin(angle);
    data[half + i] = Math.cos(angle);
  }
  return { shape: [1, width], data };
}
