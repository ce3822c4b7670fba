/** The texts that the encoders of ACE-Step 1.5 get. */
import templates from './music-prompts.json' with { type: 'json' };

/** A piece of music in words. */
export interface MusicDescription {
  readonly tags: string;
  readonly lyrics: string;
  readonly bpm: number;
  /** In seconds. */
  readonly duration: number;
  /** Beats of a bar. */
  readonly timesignature: string;
  readonly language: string;
  readonly keyscale: string;
}

export interface MusicPrompts {
  readonly description: string;
  readonly lyrics: string;
  /** For the language model that writes codes. */
  readonly codes: string;
  /** The same without what the model should guide towards. */
  readonly negative: string;
}

export function musicPrompts(music: MusicDescription): MusicPrompts {
  const { bpm, timesignature, keyscale } = music;
  const tags = music.tags.trim();
  const metas = { bpm: String(bpm), timesignature, keyscale, duration: String(Math.ceil(music.duration)) };
  const codes = (plan: string) => filled(templates.codes, { tags, lyrics: music.lyrics.trim(), metas: plan });
  return {
    description: filled(templates.description, { tags, ...metas }),
    lyrics: filled(templates.lyrics, { language: music.language, lyrics: music.lyrics }),
    codes: codes(filled(templates.metas, metas)),
    negative: codes(''),
  };
}

/** Text that is filled in may have braces of its own. */
const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
