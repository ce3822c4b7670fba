import type { PromptTokenizer } from '../prompt-tokens.ts';
import { parsePromptWeights } from '../prompt-weights.ts';
import { cleanLyrics } from './clean-lyrics.ts';
import { toRomaji } from './romaji.ts';

/** The languages that ACE-Step knows. Its vocabulary has a token for each: `[en]`. */
const LANGUAGES = 'en de fr es it pt pl tr ru cs nl ar zh ja hu ko hi'.split(' ');
/** Tokens of a language with another name. */
const NAMES: Readonly<Record<string, string>> = { zh: 'zh-cn' };
/** A line of the form `[chorus]` names a part of the music. */
const STRUCTURE = /^\[.*?\]/;
const SPACE = '[SPACE]';
/** The first token of all lyrics. */
export const LYRICS_START = 261;

/**
 * The tokens of lyrics for ACE-Step. Each line is tokenized in its language: that of a beginning such as `[de]`, Japanese
 * for Japanese letters, otherwise English. Weights as in prompts are read and count for nothing.
 */
export function lyricTokens(lyrics: string, tokenizer: Pick<PromptTokenizer, 'tokens' | 'pad'>): number[] {
  const lines = parsePromptWeights(lyrics).flatMap(({ text }) => (text === '' ? [] : text.split('\n')));
  return [LYRICS_START, ...lines.flatMap((line) => lineTokens(line.trim(), tokenizer))];
}

/** Whether lyrics have more tokens than `LYRICS_START`. */
export const hasLyrics = (lyrics: string): boolean =>
  parsePromptWeights(lyrics).some(({ text }) => text !== '');

/** A space ends each line. */
function lineTokens(line: string, { tokens, pad }: Pick<PromptTokenizer, 'tokens' | 'pad'>): number[] {
  if (line === '') return [pad];
  const named = /^\[(.{2})\]/.exec(line)?.[1]?.toLowerCase();
  const isNamed = named !== undefined && LANGUAGES.includes(named);
  const text = isNamed ? line.slice(4) : line;
  const latin = toRomaji(text);
  const spoken = latin !== text ? 'ja' : isNamed ? named : 'en';
  const language = STRUCTURE.test(latin) ? 'en' : spoken;
  const cleaned = `[${NAMES[language] ?? language}]${cleanLyrics(latin, language)}`;
  return [...tokens(cleaned.replaceAll(' ', SPACE)), pad];
}
