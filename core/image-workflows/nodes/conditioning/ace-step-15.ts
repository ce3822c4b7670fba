/** Prompts for ACE-Step 1.5. */
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { musicPrompts } from '../../text/music-prompts.ts';
import { withOptions } from '../../values/conditioning.ts';
import { seed } from '../kernel/common-inputs.ts';
import { boolean, choice, float, int, link, optional, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import choices from './music-choices.json' with { type: 'json' };

/** Codes of a second of music. */
const CODES_A_SECOND = 5;

const text = () => string({ multiline: true, dynamicPrompts: true });
const advanced = true;

const encode = node({
  name: 'TextEncodeAceStepAudio1.5',
  category: 'conditioning',
  module: 'comfy_extras.nodes_ace',
  modern: true,
  description:
    'Encodes the description and the lyrics of music for ACE-Step 1.5. A language model plans the music as codes, five a second.',
  inputs: {
    clip: link('CLIP'),
    tags: text(),
    lyrics: text(),
    seed: seed(),
    bpm: int({ default: 120, min: 10, max: 300 }),
    duration: float({ default: 120.0, min: 0.0, max: 2000.0, step: 0.1 }),
    timesignature: choice(choices.timesignatures, { multiselect: false }),
    language: choice(choices.languages, { multiselect: false }),
    keyscale: choice(
      ['major', 'minor'].flatMap((quality) => choices.roots.map((root) => `${root} ${quality}`)),
      { multiselect: false },
    ),
    generate_audio_codes: boolean({
      default: true,
      advanced,
      tooltip:
        'Whether the language model plans the music. It improves the music and takes time. Turn it off for music after reference audio.',
    }),
    cfg_scale: float({ default: 2.0, min: 0.0, max: 100.0, step: 0.1, advanced }),
    temperature: float({ default: 0.85, min: 0.0, max: 2.0, step: 0.01, advanced }),
    top_p: float({ default: 0.9, min: 0.0, max: 2000.0, step: 0.01, advanced }),
    top_k: int({ default: 0, min: 0, max: 100, advanced }),
    min_p: float({ default: 0.0, min: 0.0, max: 1.0, step: 0.001, advanced }),
  },
  outputs: [output('CONDITIONING')],
  async run(values, context) {
    const { signal } = context;
    const { clip, duration, cfg_scale, temperature, top_p, top_k, min_p } = values;
    const { description, lyrics, codes, negative } = musicPrompts(values);
    const prompts = await encodePrompts(clip, { qwen3_06b: description, lyrics }, signal);
    const count = Math.ceil(duration) * CODES_A_SECOND;
    if (!values.generate_audio_codes || count === 0) return [prompts];
    if (!clip.writeCodes)
      throw new TypeError(
        'these text encoders write no codes of audio: load qwen_1.7b_ace15 or qwen_4b_ace15 with DualCLIPLoader, or turn generate_audio_codes off',
      );
    const written = await clip.writeCodes(
      {
        ...{ prompt: codes, negative, count, seed: values.seed, scale: cfg_scale },
        ...{ temperature, topP: top_p, topK: top_k, minP: min_p },
        onCode: (done) => context.progress(done, count),
      },
      signal,
    );
    return [withOptions(prompts, { music: { codes: written } })];
  },
});

const timbre = node({
  name: 'ReferenceTimbreAudio',
  displayName: 'Reference Audio',
  category: 'advanced/conditioning/audio',
  module: 'comfy_extras.nodes_ace',
  modern: true,
  experimental: true,
  description: 'Sets audio whose voice and melody the music of ACE-Step 1.5 follows.',
  inputs: { conditioning: link('CONDITIONING'), latent: optional(link('LATENT')) },
  outputs: [output('CONDITIONING')],
  run: ({ conditioning, latent }) => [
    latent ? withOptions(conditioning, { music: { timbre: latent.samples } }) : conditioning,
  ],
});

export const aceStep15Nodes: AnyNode[] = [encode, timbre];
