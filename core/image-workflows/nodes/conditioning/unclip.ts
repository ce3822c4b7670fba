/** unCLIP models, which vary an image. */
import { checkpointNames, loadUnclipCheckpoint } from '../../models/checkpoints/load-checkpoint.ts';
import { withOptions } from '../../values/conditioning.ts';
import { choice, float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { modelFingerprint } from '../model/model-fingerprint.ts';
import { prepareCheckpoint } from '../model/prepare-checkpoint.ts';

const unclipCheckpointLoader = node({
  name: 'unCLIPCheckpointLoader',
  displayName: 'unCLIPCheckpointLoader',
  category: 'loaders',
  module: 'nodes',
  description:
    'Loads a diffusion model that varies images, with its text encoder, autoencoder and vision encoder.',
  fingerprint: modelFingerprint('checkpoints', ['ckpt_name']),
  inputs: { ckpt_name: choice(checkpointNames) },
  outputs: [output('MODEL'), output('CLIP'), output('VAE'), output('CLIP_VISION')],
  async run({ ckpt_name }, context) {
    const { clipVision, ...checkpoint } = await loadUnclipCheckpoint(context.host, ckpt_name);
    if (!clipVision && context.isTaken(3))
      throw new Error(
        `${ckpt_name} has no vision encoder (image_encoder/model.onnx): take one from CLIPVisionLoader, or export the checkpoint's image_encoder, too`,
      );
    if (context.isTaken(3)) clipVision?.prepare?.(context.signal);
    return [...prepareCheckpoint(checkpoint, context), clipVision];
  },
});

const unclipConditioning = node({
  name: 'unCLIPConditioning',
  displayName: 'unCLIPConditioning',
  category: 'conditioning',
  module: 'nodes',
  description:
    'Adds an image to vary to the prompt. strength: how much the image counts. noise_augmentation: how far the result may differ.',
  inputs: {
    conditioning: link('CONDITIONING', undefined),
    clip_vision_output: link('CLIP_VISION_OUTPUT', undefined),
    strength: float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 }),
    noise_augmentation: float({ default: 0.0, min: 0.0, max: 1.0, step: 0.01 }),
  },
  outputs: [output('CONDITIONING')],
  run({ conditioning, clip_vision_output: visionOutput, strength, noise_augmentation: noiseAugmentation }) {
    if (strength === 0) return [conditioning];
    const hint = { visionOutput, strength, noiseAugmentation };
    return [withOptions(conditioning, ({ unclip }) => ({ unclip: [...(unclip ?? []), hint] }))];
  },
});

export const unclipNodes: AnyNode[] = [unclipCheckpointLoader, unclipConditioning];
