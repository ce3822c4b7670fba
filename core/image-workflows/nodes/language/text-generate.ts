/** Nodes that write texts with the language model of a text encoder. */
import type { WritingRequest } from '../../values/clip-model.ts';
import { seed } from '../kernel/common-inputs.ts';
import { type VariantValue, variants } from '../kernel/dynamic-inputs.ts';
import { boolean, float, int, link, optional, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const share = (value: number) => float({ default: value, min: 0, max: 1, step: 0.01 });

const SAMPLING = {
  on: {
    temperature: float({ default: 0.7, min: 0.01, max: 2, step: 0.000001 }),
    top_k: int({ default: 64, min: 0, max: 1000 }),
    top_p: share(0.95),
    min_p: share(0.05),
    repetition_penalty: float({ default: 1.05, min: 0, max: 5, step: 0.01 }),
    seed: { ...seed(), options: { default: 0, min: 0, max: 18446744073709551615n } },
    presence_penalty: optional(float({ default: 0, min: 0, max: 5, step: 0.01 })),
  },
  off: {},
} as const;

function samplingOf(mode: VariantValue<typeof SAMPLING>): WritingRequest['sampling'] {
  if (mode.key === 'off') return undefined;
  return {
    temperature: mode.temperature,
    topK: mode.top_k,
    topP: mode.top_p,
    minP: mode.min_p,
    // 0 would divide by nothing.
    repetitionPenalty: mode.repetition_penalty || 1,
    presencePenalty: mode.presence_penalty ?? 0,
    seed: mode.seed,
  };
}

export const textGenerate: AnyNode = node({
  name: 'TextGenerate',
  displayName: 'Generate Text (Text Encoder)',
  category: 'textgen',
  module: 'comfy_extras.nodes_textgen',
  modern: true,
  description: 'Writes a text with the language model of a text encoder: Qwen 2.5, Qwen 3 or Gemma 2.',
  inputs: {
    clip: link('CLIP'),
    prompt: string({ default: '', multiline: true, dynamicPrompts: true }),
    max_length: int({ default: 256, min: 1, max: 32768 }),
    sampling_mode: variants(SAMPLING, { display_name: 'Sampling Mode' }),
    image: optional(link('IMAGE')),
    video: optional(link('IMAGE')),
    audio: optional(link('AUDIO')),
    thinking: optional(boolean({ default: false })),
    use_default_template: optional(boolean({ default: true, advanced: true })),
  },
  outputs: [output('STRING', 'generated_text')],
  async run(values, context) {
    const { clip, prompt, max_length, sampling_mode, thinking = false, use_default_template = true } = values;
    for (const name of ['image', 'video', 'audio'] as const)
      if (values[name] !== undefined)
        throw new Error(
          `${name} is linked, but the language models of text encoders read texts only: remove the link, or use Describe Image`,
        );
    if (!clip.write)
      throw new Error(
        'this text encoder reads prompts and writes no texts: load a file of Qwen 2.5, Qwen 3 or Gemma 2 with CLIPLoader, or use the node Generate Text with an installed language model',
      );
    const request: WritingRequest = {
      prompt,
      isChat: use_default_template,
      thinks: thinking,
      maxTokens: max_length,
      sampling: samplingOf(sampling_mode),
      onToken: (count) => context.progress(count, max_length),
    };
    return [await clip.write(request, context.signal)];
  },
});
