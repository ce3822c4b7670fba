/** A text for each of the encoders of newer models. */
import type { ClipModel, Conditioning, ConditioningOptions } from '../values/types.ts';
import { choice, float, link, string } from './inputs.ts';
import { type AnyNode, node, output } from './node-type.ts';

const text = () => string({ multiline: true, dynamicPrompts: true });
const shared = {
  category: 'advanced/conditioning',
  modern: true,
  outputs: [output('CONDITIONING')],
} as const;

async function encoded(
  clip: ClipModel,
  texts: Record<string, string>,
  options: ConditioningOptions,
  signal: AbortSignal,
): Promise<Conditioning> {
  const { tensor, pooled } = await clip.encode(texts, signal);
  return [{ tensor, options: { ...(pooled && { pooled }), ...options } }];
}

const textEncodeFlux = node({
  ...shared,
  name: 'CLIPTextEncodeFlux',
  category: 'advanced/conditioning/flux',
  module: 'comfy_extras.nodes_flux',
  description: 'A prompt for each of the two encoders of Flux, and how strongly it follows them.',
  inputs: {
    clip: link('CLIP'),
    clip_l: text(),
    t5xxl: text(),
    guidance: float({ default: 3.5, min: 0.0, max: 100.0, step: 0.1 }),
  },
  run: async ({ clip, clip_l, t5xxl, guidance }, { signal }) => [
    await encoded(clip, { l: clip_l, t5xxl }, { guidance }, signal),
  ],
});

const textEncodeSd3 = node({
  ...shared,
  name: 'CLIPTextEncodeSD3',
  module: 'comfy_extras.nodes_sd3',
  description: 'A prompt for each of the three encoders of Stable Diffusion 3.',
  inputs: {
    clip: link('CLIP'),
    clip_l: text(),
    clip_g: text(),
    t5xxl: text(),
    empty_padding: choice(['none', 'empty_prompt']),
  },
  async run({ clip, clip_l, clip_g, t5xxl, empty_padding }, { signal }) {
    // An encoder without a text says nothing: not even what it says of an empty one.
    const texts = { l: clip_l, g: clip_g, t5xxl };
    const empty = Object.entries(texts).flatMap(([name, text]) => (text === '' ? [name] : []));
    const { tensor, pooled } = await clip.encode(texts, signal, empty_padding === 'none' ? empty : []);
    return [[{ tensor, options: pooled ? { pooled } : {} }]];
  },
});

export const textEncodingNodes: AnyNode[] = [textEncodeFlux, textEncodeSd3];
