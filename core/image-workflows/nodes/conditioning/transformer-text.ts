/** Prompts for transformers that take more than a text. */
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { withOptions } from '../../values/conditioning.ts';
import { choice, float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import systemPrompts from './lumina-system-prompts.json' with { type: 'json' };

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
    const prompt = `${systemPrompts[system_prompt as keyof typeof systemPrompts]} <Prompt Start> ${user_prompt}`;
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

const hunyuanDitEncode = node({
  name: 'CLIPTextEncodeHunyuanDiT',
  displayName: 'CLIPTextEncodeHunyuanDiT',
  category: 'advanced/conditioning',
  module: 'comfy_extras.nodes_hunyuan',
  description: 'Encodes a prompt for each of the two encoders of HunyuanDiT.',
  inputs: { clip: link('CLIP', undefined), bert: text(), mt5xl: text() },
  outputs: [output('CONDITIONING')],
  run: async ({ clip, bert, mt5xl }, { signal }) => [
    await encodePrompts(clip, { hydit_clip: bert, mt5xl }, signal),
  ],
});

const aceStepEncode = node({
  name: 'TextEncodeAceStepAudio',
  category: 'conditioning',
  module: 'comfy_extras.nodes_ace',
  modern: true,
  description:
    'Encodes the description and the lyrics of music for ACE-Step. A line may begin with its language: [de]. A line such as [chorus] names a part.',
  inputs: {
    clip: link('CLIP'),
    tags: text(),
    lyrics: text(),
    lyrics_strength: float({ default: 1.0, min: 0.0, max: 10.0, step: 0.01 }),
  },
  outputs: [output('CONDITIONING')],
  async run({ clip, tags, lyrics, lyrics_strength }, { signal }) {
    const prompts = await encodePrompts(clip, { umt5base: tags, lyrics }, signal);
    return [
      withOptions(prompts, ({ lyrics: own }) =>
        own ? { lyrics: { ...own, strength: lyrics_strength } } : {},
      ),
    ];
  },
});

export const transformerTextNodes: AnyNode[] = [lumina2Encode, pixartEncode, hunyuanDitEncode, aceStepEncode];
