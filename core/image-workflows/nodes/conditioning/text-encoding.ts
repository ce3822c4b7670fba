/** Prompts for models with several text encoders, and texts for control nets. */
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { withOptions } from '../../values/conditioning.ts';
import { choice, float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const text = () => string({ multiline: true, dynamicPrompts: true });
const shared = {
  category: 'advanced/conditioning',
  modern: true,
  outputs: [output('CONDITIONING')],
} as const;

const textEncodeFlux = node({
  ...shared,
  name: 'CLIPTextEncodeFlux',
  category: 'advanced/conditioning/flux',
  module: 'comfy_extras.nodes_flux',
  description: 'Encodes a prompt for each of the two encoders of Flux, with the strength of the guidance.',
  inputs: {
    clip: link('CLIP'),
    clip_l: text(),
    t5xxl: text(),
    guidance: float({ default: 3.5, min: 0.0, max: 100.0, step: 0.1 }),
  },
  async run({ clip, clip_l, t5xxl, guidance }, { signal }) {
    const prompts = await encodePrompts(clip, { l: clip_l, t5xxl }, signal);
    return [withOptions(prompts, { guidance })];
  },
});

const textEncodeSd3 = node({
  ...shared,
  name: 'CLIPTextEncodeSD3',
  module: 'comfy_extras.nodes_sd3',
  description: 'Encodes a prompt for each of the three encoders of Stable Diffusion 3.',
  inputs: {
    clip: link('CLIP'),
    clip_l: text(),
    clip_g: text(),
    t5xxl: text(),
    empty_padding: choice(['none', 'empty_prompt']),
  },
  async run({ clip, clip_l, clip_g, t5xxl, empty_padding }, { signal }) {
    // With `none`, an encoder without text contributes zeros instead of its embedding of the empty text.
    const texts = { l: clip_l, g: clip_g, t5xxl };
    const empty = Object.entries(texts).flatMap(([name, text]) => (text === '' ? [name] : []));
    return [await encodePrompts(clip, texts, signal, empty_padding === 'none' ? empty : [])];
  },
});

const textEncodeHiDream = node({
  ...shared,
  name: 'CLIPTextEncodeHiDream',
  module: 'comfy_extras.nodes_hidream',
  description: 'Encodes a prompt for each of the four encoders of HiDream.',
  inputs: {
    clip: link('CLIP'),
    clip_l: text(),
    clip_g: text(),
    t5xxl: text(),
    llama: text(),
  },
  async run({ clip, clip_l, clip_g, t5xxl, llama }, { signal }) {
    return [await encodePrompts(clip, { l: clip_l, g: clip_g, t5xxl, llama }, signal)];
  },
});

const testing = {
  category: '_for_testing/conditioning',
  module: 'comfy_extras.nodes_cond',
  modern: true,
  experimental: true,
} as const;

const textEncodeControlNet = node({
  ...testing,
  name: 'CLIPTextEncodeControlnet',
  description: 'A text that control nets receive instead of the prompt.',
  inputs: { clip: link('CLIP'), conditioning: link('CONDITIONING'), text: text() },
  outputs: [output('CONDITIONING')],
  async run({ clip, conditioning, text }, { signal }) {
    const { tensor: prompt } = await clip.encode(text, signal);
    return [withOptions(conditioning, { control: { prompt } })];
  },
});

const tokens = () => int({ default: 0, min: 0, max: 10000, step: 1 });

const t5TokenizerOptions = node({
  ...testing,
  name: 'T5TokenizerOptions',
  description:
    'Padding of T5 prompts: min_padding empty tokens after the end, then up to min_length tokens in all.',
  inputs: { clip: link('CLIP'), min_padding: tokens(), min_length: tokens() },
  outputs: [output('CLIP')],
  run: ({ clip, min_padding, min_length }) => [
    clip.withPadding({ padding: min_padding, minLength: min_length }),
  ],
});

export const textEncodingNodes: AnyNode[] = [
  textEncodeFlux,
  textEncodeSd3,
  textEncodeHiDream,
  textEncodeControlNet,
  t5TokenizerOptions,
];
