/** Nodes that load parts of models: networks, text encoders and autoencoders. */
import type { Host } from '#core/host';
import { diffusersNames, loadDiffusers } from '../../models/checkpoints/load-checkpoint.ts';
import { encoderNames, loadEncoders } from '../../models/checkpoints/load-encoders.ts';
import { loadVae, networkNames, PIXEL_SPACE, vaeNames } from '../../models/checkpoints/standalone-parts.ts';
import { isTinyAutoencoder, tinyAutoencoderPaths } from '../../models/checkpoints/tiny-autoencoders.ts';
import { choice, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { DUAL_ENCODER_TYPES, SINGLE_ENCODER_TYPES } from './encoder-types.ts';
import { fingerprintOf, modelFingerprint } from './model-fingerprint.ts';
import { openNetwork } from './open-network.ts';
import { prepareCheckpoint } from './prepare-checkpoint.ts';

const shared = { category: 'advanced/loaders', module: 'nodes' } as const;
const device = () => optional(choice(['default', 'cpu'], { advanced: true }));

const unetLoader = node({
  ...shared,
  name: 'UNETLoader',
  displayName: 'Load Diffusion Model',
  description:
    'Loads a UNet or transformer of the folder diffusion_models: a folder with a graph, or a file of weights. Its numbers have the type that they have there: weight_dtype has no effect.',
  fingerprint: modelFingerprint('diffusion_models', ['unet_name']),
  inputs: {
    unet_name: choice(networkNames),
    weight_dtype: choice(['default', 'fp8_e4m3fn', 'fp8_e4m3fn_fast', 'fp8_e5m2']),
  },
  outputs: [output('MODEL')],
  run: openNetwork,
});

const clipLoader = node({
  ...shared,
  name: 'CLIPLoader',
  displayName: 'Load CLIP',
  description:
    'Loads a text encoder of the folder text_encoders: a folder with a graph, or a file of weights of CLIP, T5 or another known encoder.',
  fingerprint: modelFingerprint('text_encoders', ['clip_name']),
  inputs: {
    clip_name: choice(encoderNames),
    type: choice(SINGLE_ENCODER_TYPES),
    device: device(),
  },
  outputs: [output('CLIP')],
  run: async ({ clip_name, type }, { host }) => [await loadEncoders(host, [clip_name], type)],
});

const dualClipLoader = node({
  ...shared,
  name: 'DualCLIPLoader',
  displayName: 'DualCLIPLoader',
  description: 'Loads two text encoders of one model, in any order.',
  fingerprint: modelFingerprint('text_encoders', ['clip_name1', 'clip_name2']),
  inputs: {
    clip_name1: choice(encoderNames),
    clip_name2: choice(encoderNames),
    type: choice(DUAL_ENCODER_TYPES),
    device: device(),
  },
  outputs: [output('CLIP')],
  run: async ({ clip_name1, clip_name2, type }, { host }) => [
    await loadEncoders(host, [clip_name1, clip_name2], type),
  ],
});

const tripleClipLoader = node({
  ...shared,
  name: 'TripleCLIPLoader',
  module: 'comfy_extras.nodes_sd3',
  modern: true,
  description: 'Loads the three text encoders of Stable Diffusion 3, in any order.',
  fingerprint: modelFingerprint('text_encoders', ['clip_name1', 'clip_name2', 'clip_name3']),
  inputs: {
    clip_name1: choice(encoderNames),
    clip_name2: choice(encoderNames),
    clip_name3: choice(encoderNames),
  },
  outputs: [output('CLIP')],
  run: async ({ clip_name1, clip_name2, clip_name3 }, { host }) => [
    await loadEncoders(host, [clip_name1, clip_name2, clip_name3], 'sd3'),
  ],
});

const quadrupleClipLoader = node({
  ...shared,
  name: 'QuadrupleCLIPLoader',
  module: 'comfy_extras.nodes_hidream',
  modern: true,
  description: 'Loads the four text encoders of HiDream, in any order: CLIP L, CLIP G, T5-XXL and Llama 3.1.',
  fingerprint: modelFingerprint('text_encoders', ['clip_name1', 'clip_name2', 'clip_name3', 'clip_name4']),
  inputs: {
    clip_name1: choice(encoderNames, { multiselect: false }),
    clip_name2: choice(encoderNames, { multiselect: false }),
    clip_name3: choice(encoderNames, { multiselect: false }),
    clip_name4: choice(encoderNames, { multiselect: false }),
  },
  outputs: [output('CLIP')],
  run: async ({ clip_name1, clip_name2, clip_name3, clip_name4 }, { host }) => [
    await loadEncoders(host, [clip_name1, clip_name2, clip_name3, clip_name4], 'hidream'),
  ],
});

const vaeFingerprint = modelFingerprint('vae', ['vae_name'], [PIXEL_SPACE]);

/** A file of the folder vae may bear the name of a pair. */
const tinyFingerprint = async (name: string, host: Host) =>
  fingerprintOf(
    host,
    (await host.files.stat(`models/vae/${name}`))
      ? [`models/vae/${name}`]
      : await tinyAutoencoderPaths(host, name),
  );

const vaeLoader = node({
  ...shared,
  name: 'VAELoader',
  displayName: 'Load VAE',
  category: 'loaders',
  description:
    'Loads an autoencoder of the folder vae, or TAESD from two files of the folder vae_approx. pixel_space is for models that work on pixels, without an autoencoder.',
  fingerprint: (values, context) =>
    isTinyAutoencoder(String(values.vae_name))
      ? tinyFingerprint(String(values.vae_name), context.host)
      : vaeFingerprint(values, context),
  inputs: { vae_name: choice(vaeNames) },
  outputs: [output('VAE')],
  async run({ vae_name }, { host, signal }) {
    const vae = await loadVae(host, vae_name);
    vae.prepare?.(signal);
    return [vae];
  },
});

const diffusersLoader = node({
  ...shared,
  name: 'DiffusersLoader',
  displayName: 'DiffusersLoader',
  category: 'advanced/loaders/deprecated',
  description: 'Loads a complete model of the folder diffusers.',
  inputs: { model_path: choice(diffusersNames) },
  outputs: [output('MODEL'), output('CLIP'), output('VAE')],
  run: async ({ model_path }, context) =>
    prepareCheckpoint(await loadDiffusers(context.host, model_path), context),
});

export const modelLoaderNodes: AnyNode[] = [
  unetLoader,
  clipLoader,
  dualClipLoader,
  tripleClipLoader,
  quadrupleClipLoader,
  vaeLoader,
  diffusersLoader,
];
