/**
 * Loaders of GGUF files under the names of the extension that most workflows use for them. The usual loaders open such
 * files as well.
 */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { encoderNames, loadEncoders } from '../../models/checkpoints/load-encoders.ts';
import { networkNames } from '../../models/checkpoints/standalone-parts.ts';
import { boolean, choice } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { DUAL_ENCODER_TYPES, SINGLE_ENCODER_TYPES } from './encoder-types.ts';
import { modelFingerprint } from './model-fingerprint.ts';
import { openNetwork } from './open-network.ts';

const shared = { category: 'bootleg', module: 'custom_nodes.ComfyUI-GGUF' } as const;

const ggufNetworks = async (files: WorkflowFiles): Promise<string[]> =>
  (await networkNames(files)).filter((name) => /\.gguf$/i.test(name));

const network = { unet_name: choice(ggufNetworks) };
const fingerprint = modelFingerprint('diffusion_models', ['unet_name']);
const TYPES = ['default', 'target', 'float32', 'float16', 'bfloat16'] as const;

const unetLoader = node({
  ...shared,
  name: 'UnetLoaderGGUF',
  displayName: 'Unet Loader (GGUF)',
  description: 'Loads a UNet or transformer from a GGUF file of the folder diffusion_models.',
  fingerprint,
  inputs: network,
  outputs: [output('MODEL')],
  run: openNetwork,
});

const advancedUnetLoader = node({
  ...shared,
  name: 'UnetLoaderGGUFAdvanced',
  displayName: 'Unet Loader (GGUF/Advanced)',
  description:
    'Loads a UNet or transformer from a GGUF file of the folder diffusion_models. Numbers are always computed with 32 bits: the other inputs have no effect.',
  fingerprint,
  inputs: {
    ...network,
    dequant_dtype: choice(TYPES, { default: 'default' }),
    patch_dtype: choice(TYPES, { default: 'default' }),
    patch_on_device: boolean({ default: false }),
  },
  outputs: [output('MODEL')],
  run: openNetwork,
});

const clipLoader = node({
  ...shared,
  name: 'CLIPLoaderGGUF',
  displayName: 'CLIPLoader (GGUF)',
  description:
    'Loads a text encoder of the folder text_encoders from a GGUF file, or from another file of weights.',
  fingerprint: modelFingerprint('text_encoders', ['clip_name']),
  inputs: { clip_name: choice(encoderNames), type: choice(SINGLE_ENCODER_TYPES) },
  outputs: [output('CLIP')],
  run: async ({ clip_name, type }, { host }) => [await loadEncoders(host, [clip_name], type)],
});

const dualClipLoader = node({
  ...shared,
  name: 'DualCLIPLoaderGGUF',
  displayName: 'DualCLIPLoader (GGUF)',
  description: 'Loads two text encoders of one model, in any order. Each may be a GGUF file.',
  fingerprint: modelFingerprint('text_encoders', ['clip_name1', 'clip_name2']),
  inputs: {
    clip_name1: choice(encoderNames),
    clip_name2: choice(encoderNames),
    type: choice(DUAL_ENCODER_TYPES),
  },
  outputs: [output('CLIP')],
  run: async ({ clip_name1, clip_name2, type }, { host }) => [
    await loadEncoders(host, [clip_name1, clip_name2], type),
  ],
});

const tripleClipLoader = node({
  ...shared,
  name: 'TripleCLIPLoaderGGUF',
  displayName: 'TripleCLIPLoader (GGUF)',
  description: 'Loads the three text encoders of Stable Diffusion 3, in any order. Each may be a GGUF file.',
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
  name: 'QuadrupleCLIPLoaderGGUF',
  displayName: 'QuadrupleCLIPLoader (GGUF)',
  description: 'Loads the four text encoders of HiDream, in any order. Each may be a GGUF file.',
  fingerprint: modelFingerprint('text_encoders', ['clip_name1', 'clip_name2', 'clip_name3', 'clip_name4']),
  inputs: {
    clip_name1: choice(encoderNames),
    clip_name2: choice(encoderNames),
    clip_name3: choice(encoderNames),
    clip_name4: choice(encoderNames),
  },
  outputs: [output('CLIP')],
  run: async ({ clip_name1, clip_name2, clip_name3, clip_name4 }, { host }) => [
    await loadEncoders(host, [clip_name1, clip_name2, clip_name3, clip_name4], 'hidream'),
  ],
});

export const ggufLoaderNodes: AnyNode[] = [
  unetLoader,
  advancedUnetLoader,
  clipLoader,
  dualClipLoader,
  tripleClipLoader,
  quadrupleClipLoader,
];
