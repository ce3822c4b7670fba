/** Prompts for the models of Wan that follow videos, subjects and cameras. */
import { rasterAt } from '../../images/rasters.ts';
import { concatAlong, concatChannels } from '../../values/batches.ts';
import { type ConditioningOptions, withOptions } from '../../values/conditioning.ts';
import { full, zeros } from '../../values/tensor.ts';
import { float, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { bothPrompts, encodeFrames, framesOf, promptOutputs, withFirstFrames } from './given-frames.ts';
import { changedVideo, pixelMask } from './vace-video.ts';
import { framesMask } from './wan.ts';
import { addReference, emptyVideo, image, latentShape, seen, shared, sizes, withBoth } from './wan-inputs.ts';

const CELL = 8;

const vaceToVideo = node({
  ...shared,
  name: 'WanVaceToVideo',
  description:
    'Adds a video to follow to prompts, for models of the kind VACE. control_masks: 1 where it changes. trim_latent: the frames of the reference image, which TrimVideoLatent removes.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(),
    strength: float({ default: 1.0, min: 0.0, max: 1000.0, step: 0.01 }),
    control_video: image(),
    control_masks: optional(link('MASK')),
    reference_image: image(),
  },
  outputs: [...promptOutputs, output('INT', 'trim_latent')],
  async run(
    { vae, batch_size, strength, control_video, control_masks, reference_image, ...values },
    { signal },
  ) {
    const shape = latentShape(values, 16, CELL);
    const parts = changedVideo(values, control_video, control_masks);
    const unchanged = await encodeFrames(vae, parts.unchanged, signal);
    let frames = concatChannels(unchanged, await encodeFrames(vae, parts.changed, signal));
    let mask = pixelMask(parts.mask, values, CELL, shape[1]!);
    let added = 0;
    if (reference_image) {
      const pixels = framesOf(reference_image, { ...values, length: 1 });
      const reference = await encodeFrames(vae, pixels, signal);
      added = reference.shape[2]!;
      frames = concatAlong(2, concatChannels(reference, emptyVideo(reference.shape.slice(1))), frames);
      mask = concatAlong(2, zeros([1, CELL * CELL, added, ...shape.slice(2)]), mask);
    }
    const guide = { frames, mask, strength };
    const prompts = withBoth(values, ({ guides }) => ({
      guides: { vace: [...(guides?.vace ?? []), guide] },
    }));
    return [...prompts, { samples: zeros([batch_size, 16, shape[1]! + added, ...shape.slice(2)]) }, added];
  },
});

const subjectToVideo = node({
  ...shared,
  name: 'WanPhantomSubjectToVideo',
  description: 'Adds images of subjects to prompts, for models of the kind Phantom.',
  inputs: { ...bothPrompts(), vae: link('VAE'), ...sizes(), images: image() },
  outputs: [
    output('CONDITIONING', 'positive'),
    output('CONDITIONING', 'negative_text'),
    output('CONDITIONING', 'negative_img_text'),
    output('LATENT', 'latent'),
  ],
  async run({ positive, negative, vae, batch_size, images, ...size }, { signal }) {
    const latent = { samples: zeros([batch_size, ...latentShape(size, 16, CELL)]) };
    if (!images) return [positive, negative, negative, latent];
    const subjects = framesOf(images, size);
    const latents = [];
    for (let at = 0; at < subjects.batch; at++) {
      const subject = rasterAt(subjects, at);
      latents.push(await encodeFrames(vae, subject, signal));
    }
    const following = latents.reduce((before, after) => concatAlong(2, before, after));
    const seenBy = (prompt: typeof positive, frames: typeof following) =>
      withOptions(prompt, { guides: { following: frames } });
    const empty = emptyVideo(following.shape.slice(1));
    return [seenBy(positive, following), seenBy(negative, following), seenBy(negative, empty), latent];
  },
});

const funControl22 = node({
  ...shared,
  name: 'Wan22FunControlToVideo',
  description:
    'Adds a video that controls the result to prompts, for models of the kind Wan 2.2 Fun Control.',
  inputs: { ...bothPrompts(), vae: link('VAE'), ...sizes(), ref_image: image(), control_video: image() },
  async run({ vae, batch_size, ref_image, control_video, ...values }, { signal }) {
    const shape = latentShape(values, vae.latentChannels, vae.scale);
    const empty = emptyVideo(shape);
    let latent = concatChannels(empty, empty);
    if (control_video)
      latent = withFirstFrames(latent, await encodeFrames(vae, framesOf(control_video, values), signal));
    const [channels = 1, ...sides] = shape;
    const inpainting = { latent, mask: full([1, 4, ...sides], 1), maskIndex: channels };
    const reference =
      ref_image && (await encodeFrames(vae, framesOf(ref_image, { ...values, length: 1 }), signal));
    const prompts = withBoth(values, (own) => ({
      inpainting,
      ...(reference && addReference(reference)(own)),
    }));
    return [...prompts, { samples: zeros([batch_size, ...shape]) }];
  },
});

const cameraToVideo = node({
  ...shared,
  name: 'WanCameraImageToVideo',
  description:
    'Adds the first frames and the motion of a camera to prompts, for models of the kind Fun Camera.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(),
    clip_vision_output: seen(),
    start_image: image(),
    camera_conditions: optional(link('WAN_CAMERA_EMBEDDING')),
  },
  async run({ vae, batch_size, clip_vision_output, start_image, camera_conditions, ...values }, { signal }) {
    const shape = latentShape(values, 16, CELL);
    const options: ConditioningOptions = {
      ...(clip_vision_output && { vision: clip_vision_output }),
      ...(camera_conditions && { guides: { camera: camera_conditions } }),
    };
    if (start_image) {
      const frames = framesOf(start_image, values);
      const latent = withFirstFrames(emptyVideo(shape), await encodeFrames(vae, frames, signal));
      options.inpainting = { latent, mask: framesMask(shape, frames.batch, undefined) };
    }
    return [...withBoth(values, options), { samples: zeros([batch_size, ...shape]) }];
  },
});

/** The nodes in the order of `/object_info`. */
export const wanGuideNodes: AnyNode[] = [vaceToVideo, subjectToVideo, funControl22, cameraToVideo];
