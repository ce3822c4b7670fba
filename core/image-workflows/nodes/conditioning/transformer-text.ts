/** Prompts for transformers that take more than a text. */
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { withOptions } from '../../values/conditioning.ts';
import { choice, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

/** The beginnings of prompts in the training of Lumina 2, as its authors publish them. */
const SYSTEM_PROMPTS: Readonly<Record<string, string>> = {
  superior:
    'You are an assistant designed to generate superior images with the superior degree of image-text alignment based on textual prompts or user prompts.',
  alignment:
    'You are an assistant designed to generate high-quality images with the highest degree of image-text alignment based on textual prompts.',
};

const text = () => string({ multiline: true, dynamicPrompts: true });

const lumina2Encode = node({
  name: 'CLIPTextEncodeLumina2',
  displayName: 'CLIP Text Encode for Lumina2',
  category: 'conditioning',
  module: 'comfy_extras.nodes_lumina2',
  modern: true,
  description: 'Encodes a prompt for Lumina 2, after the sentence with which its training prompts begin.',
  inputs: {
    system_prompt: choice(['superior', 'alignment'], { multiselect: false }),
    user_prompt: text(),
    clip: link('CLIP'),
  },
  outputs: [output('CONDITIONING', undefined, { tooltip: 'The encoded prompt.' })],
  async run({ system_prompt, user_prompt, clip }, { signal }) {
    const prompt = `${SYSTEM_PROMPTS[system_prompt]} <Prompt Start> ${user_prompt}`;
    return [await encodePrompts(clip, prompt, signal)];
  },
});

const pixartEncode = node({
  name: 'CLIPTextEncodePixArtAlpha',
  category: 'advanced/conditioning',
  module: 'comfy_extras.nodes_pixart',
  modern: true,
  description: 'Encodes a prompt for PixArt-alpha, with the size of the image in pixels.',
  inputs: {
    width: int({ default: 1024, min: 0, max: 16384 }),
    height: int({ default: 1024, min: 0, max: 16384 }),
    text: text(),
    clip: link('CLIP'),
  },
  outputs: [output('CONDITIONING')],
  async run({ clip, text: prompt, width, height }, { signal }) {
    return [withOptions(await encodePrompts(clip, prompt, signal), { sizes: { width, height } })];
  },
});

export const transformerTextNodes: AnyNode[] = [lumina2Encode, pixartEncode];
