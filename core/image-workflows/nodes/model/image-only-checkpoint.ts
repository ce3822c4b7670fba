/** Checkpoints that take an image in place of a text. */
import { checkpointNames, loadUnclipCheckpoint } from '../../models/checkpoints/load-checkpoint.ts';
import { choice } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { modelFingerprint } from './model-fingerprint.ts';

/** Loads the network, the vision encoder and the autoencoder of a checkpoint. */
export const imageOnlyCheckpointLoader: AnyNode = node({
  name: 'ImageOnlyCheckpointLoader',
  displayName: 'Image Only Checkpoint Loader (img2vid model)',
  category: 'loaders/video_models',
  module: 'comfy_extras.nodes_video_model',
  description: 'Loads a diffusion model that images guide, with its vision encoder and its autoencoder.',
  fingerprint: modelFingerprint('checkpoints', ['ckpt_name']),
  inputs: { ckpt_name: choice(checkpointNames) },
  outputs: [output('MODEL'), output('CLIP_VISION'), output('VAE')],
  async run({ ckpt_name }, context) {
    const { isTaken, signal } = context;
    const { clipVision, model, vae } = await loadUnclipCheckpoint(context.host, ckpt_name);
    if (isTaken(1) && !clipVision)
      throw new Error(
        `${ckpt_name} has no vision encoder (image_encoder/model.onnx): take one from CLIPVisionLoader, or choose a checkpoint that images guide`,
      );
    if (isTaken(1)) clipVision?.prepare?.(signal);
    if (isTaken(0)) model.network.prepare?.(signal);
    if (isTaken(2)) vae.prepare?.(signal);
    return [model, clipVision, vae];
  },
});
