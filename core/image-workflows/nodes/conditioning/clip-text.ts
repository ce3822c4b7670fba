/** Prompts for the text encoders of Stable Diffusion and SDXL. */

import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { withOptions } from '../../values/conditioning.ts';
import { float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const textEncode = node({
  name: 'CLIPTextEncode',
  displayName: 'CLIP Text Encode (Prompt)',
  category: 'conditioning',
  module: 'nodes',
  description: 'Encodes a prompt for a model. (text:1.3) gives text more weight, BREAK begins a new part.',
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
  description:
    'Encodes a prompt for each of the two encoders of SDXL, with the sizes that SDXL was trained to receive.',
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
  description: "Encodes a prompt for SDXL's refiner, with an aesthetic score.",
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
  description: 'Selects the layer of the text encoder whose output counts: -1 is the last.',
  inputs: {
    clip: link('CLIP', undefined),
    stop_at_clip_layer: int({ default: -1, min: -24, max: -1, step: 1 }),
  },
  outputs: [output('CLIP')],
  run: ({ clip, stop_at_clip_layer }) => [clip.withLastLayer(stop_at_clip_layer)],
});

export const clipTextNodes: AnyNode[] = [textEncode, textEncodeXl, textEncodeXlRefiner, setLastLayer];
