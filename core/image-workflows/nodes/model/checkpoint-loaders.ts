import { CONFIG_NAMES, checkpointConfig } from '../../models/checkpoints/checkpoint-configs.ts';
import { checkpointNames, loadCheckpoint } from '../../models/checkpoints/load-checkpoint.ts';
import { choice } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { withNoiseTable } from '../sampling/model-sampling.ts';
import { modelFingerprint } from './model-fingerprint.ts';
import { prepareCheckpoint } from './prepare-checkpoint.ts';

export const simpleCheckpointLoader: AnyNode = node({
  name: 'CheckpointLoaderSimple',
  displayName: 'Load Checkpoint',
  category: 'loaders',
  module: 'nodes',
  description: 'Loads a diffusion model with its text encoder and its autoencoder.',
  fingerprint: modelFingerprint('checkpoints', ['ckpt_name']),
  inputs: { ckpt_name: choice(checkpointNames, {}) },
  outputs: [output('MODEL'), output('CLIP'), output('VAE')],
  run: async ({ ckpt_name }, context) =>
    prepareCheckpoint(await loadCheckpoint(context.host, ckpt_name), context),
});

export const checkpointLoader: AnyNode = node({
  name: 'CheckpointLoader',
  displayName: 'Load Checkpoint With Config (DEPRECATED)',
  category: 'advanced/loaders',
  module: 'nodes',
  deprecated: true,
  description:
    'Loads a diffusion model with its text encoder and its autoencoder, by an old configuration file. Load Checkpoint detects the kind of model.',
  fingerprint: modelFingerprint('checkpoints', ['ckpt_name']),
  inputs: { config_name: choice(CONFIG_NAMES), ckpt_name: choice(checkpointNames) },
  outputs: [output('MODEL'), output('CLIP'), output('VAE')],
  async run({ config_name, ckpt_name }, context) {
    const { prediction, clipLayer } = checkpointConfig(config_name);
    const { model, clip, vae } = await loadCheckpoint(context.host, ckpt_name);
    return prepareCheckpoint(
      {
        model: prediction ? withNoiseTable(model, prediction, false) : model,
        clip: clipLayer === undefined ? clip : clip.withLastLayer(clipLayer),
        vae,
      },
      context,
    );
  },
});
