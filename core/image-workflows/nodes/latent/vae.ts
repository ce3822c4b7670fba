/** Models, text and pictures: what stands at both ends of a sampler. */

import { checkpointNames, loadCheckpoint } from '../../models/checkpoints/load-checkpoint.ts';
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { withOptions } from '../../values/conditioning.ts';
import { choice, float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { modelFingerprint } from '../model/model-fingerprint.ts';
import { prepareCheckpoint } from '../model/prepare-checkpoint.ts';

const checkpointLoader = node({
  name: 'CheckpointLoaderSimple',
  displayName: 'Load Checkpoint',
  category: 'loaders',
  module: 'nodes',
  description: 'A diffusion model with its text encoder and its autoencoder.',
  fingerprint: modelFingerprint('checkpoints', ['ckpt_name']),
  inputs: { ckpt_name: choice(checkpointNames, {}) },
  outputs: [output('MODEL'), output('CLIP'), output('VAE')],
  run: async ({ ckpt_name }, context) =>
    prepareCheckpoint(await loadCheckpoint(context.host, ckpt_name), context),
});

const textEncode = node({
  name: 'CLIPTextEncode',
  displayName: 'CLIP Text Encode (Prompt)',
  category: 'conditioning',
  module: 'nodes',
  description: 'A prompt as a model reads it. (text:1.3) counts more, BREAK begins a new part.',
  inputs: { text: string({ multiline: true, dynamicPrompts: true }), clip: link('CLIP') },
  outputs: [output('CONDITIONING')],
  async run({ text, clip }, { signal }) {
    return [await encodePrompts(clip, text, signal)];
  },
});

const side = (value: number) => int({ default: value, min: 0, max: 16384 });

const textEncodeXl = node({
  name: 'CLIPTextEncodeSDXL',
  category: 'advanced/conditioning',
  module: 'comfy_extras.nodes_clip_sdxl',
  modern: true,
  description: 'A prompt for each of the two encoders of SDXL, and the sizes that it was trained to be told.',
  inputs: {
    clip: link('CLIP'),
    width: side(1024),
    height: side(1024),
    crop_w: side(0),
    crop_h: side(0),
    target_width: side(1024),
    target_height: side(1024),
    text_g: string({ multiline: true, dynamicPrompts: true }),
    text_l: string({ multiline: true, dynamicPrompts: true }),
  },
  outputs: [output('CONDITIONING')],
  async run({ clip, text_g, text_l, ...values }, { signal }) {
    const prompts = await encodePrompts(clip, { g: text_g, l: text_l }, signal);
    const sizes = {
      height: values.height,
      width: values.width,
      cropTop: values.crop_h,
      cropLeft: values.crop_w,
      targetHeight: values.target_height,
      targetWidth: values.target_width,
    };
    return [withOptions(prompts, { sizes })];
  },
});

const textEncodeXlRefiner = node({
  name: 'CLIPTextEncodeSDXLRefiner',
  category: 'advanced/conditioning',
  module: 'comfy_extras.nodes_clip_sdxl',
  modern: true,
  description: "A prompt for SDXL's refiner, with how much the picture is to be liked.",
  inputs: {
    ascore: float({ default: 6.0, min: 0.0, max: 1000.0, step: 0.01 }),
    width: side(1024),
    height: side(1024),
    text: string({ multiline: true, dynamicPrompts: true }),
    clip: link('CLIP'),
  },
  outputs: [output('CONDITIONING')],
  async run({ clip, text, ascore, width, height }, { signal }) {
    const prompts = await encodePrompts(clip, text, signal);
    return [withOptions(prompts, { sizes: { aestheticScore: ascore, width, height } })];
  },
});

const setLastLayer = node({
  name: 'CLIPSetLastLayer',
  displayName: 'CLIP Set Last Layer',
  category: 'conditioning',
  module: 'nodes',
  description: 'Which layer of the text encoder is read: -1 is the last.',
  inputs: {
    clip: link('CLIP', undefined),
    stop_at_clip_layer: int({ default: -1, min: -24, max: -1, step: 1 }),
  },
  outputs: [output('CLIP')],
  run: ({ clip, stop_at_clip_layer }) => [clip.withLastLayer(stop_at_clip_layer)],
});

const decode = node({
  name: 'VAEDecode',
  displayName: 'VAE Decode',
  category: 'latent',
  module: 'nodes',
  description: 'Pictures of latents.',
  inputs: { samples: link('LATENT'), vae: link('VAE') },
  outputs: [output('IMAGE')],
  run: async ({ samples, vae }, { signal }) => [await vae.decode(samples.samples, signal)],
});

const encode = node({
  name: 'VAEEncode',
  displayName: 'VAE Encode',
  category: 'latent',
  module: 'nodes',
  description: 'Latents of pictures. Sides are cut to multiples of 8.',
  inputs: { pixels: link('IMAGE', undefined), vae: link('VAE', undefined) },
  outputs: [output('LATENT')],
  run: async ({ pixels, vae }, { signal }) => [{ samples: await vae.encode(pixels, signal) }],
});

export const diffusionModelNodes: AnyNode[] = [
  checkpointLoader,
  textEncode,
  textEncodeXl,
  textEncodeXlRefiner,
  setLastLayer,
  decode,
  encode,
];
