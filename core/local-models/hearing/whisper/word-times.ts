import type { HeardWord, Tensor } from '#core/host';
import { alignTokens } from './alignment.ts';
import type { WhisperParts } from './decode-window.ts';
import { STEPS_PER_TIME } from './phrases.ts';
import { TIMES_PER_SECOND } from './token-rules.ts';
import { splitWords, type Word } from './words.ts';

export interface SpokenText {
  /** The tokens that name language and task. */
  opening: readonly number[];
  /** Tokens of each phrase. */
  phrases: readonly (readonly number[])[];
  /** The code of the language. */
  language: string;
  /** Steps of 10 ms in the window that contain audio. */
  steps: number;
}

/** Seconds. A longer word at the start or end of a sentence contains a pause. */
const LONGEST_USUAL = 0.7;
const SENTENCE_END = /[.。!！?？]$/;

/**
 * The words of each phrase, with seconds from the start of the window. Rejects with the signal's reason, or as sessions do.
 * @param states the encoder's output
 */
export async function findWordTimes(
  { network, vocabulary, config }: WhisperParts,
  states: Tensor,
  { opening, phrases, language, steps }: SpokenText,
  signal: AbortSignal,
): Promise<HeardWord[][]> {
  const texts = phrases.map((tokens) => tokens.filter((token) => token < vocabulary.end));
  const text = texts.flat();
  if (text.length === 0) return phrases.map(() => []);
  const prompt = [...opening, vocabulary.noTimes];
  const tokens = [...prompt, ...text, vocabulary.end];
  const byLayer = await network.attention(tokens, states, signal);
  const width = [...byLayer.values()][0]!.length / config.heads / tokens.length;
  const heads = config.alignmentHeads.map(([layer, head]) => {
    const size = tokens.length * width;
    return byLayer.get(layer)!.subarray(head * size, (head + 1) * size);
  });
  const audioSteps = Math.max(1, Math.min(width, Math.ceil(steps / STEPS_PER_TIME)));
  // The decoder looks at a token's audio when it has read the token before.
  const begins = alignTokens(heads, tokens.length, width, audioSteps, [opening.length, tokens.length - 1]);
  return limited(timed(texts, begins, (tokens) => splitWords(vocabulary, tokens, language)));
}

/** @param begins the step of each token of the texts, and of the end */
function timed(
  texts: readonly number[][],
  begins: readonly number[],
  split: (tokens: number[]) => Word[],
): HeardWord[][] {
  let at = 0;
  return texts.map((tokens) =>
    split(tokens).map(({ text, tokens, after }) => {
      const start = begins[at]! / TIMES_PER_SECOND;
      at += tokens.length;
      // The times of punctuation are those of pauses.
      return { text, start, end: begins[at - after]! / TIMES_PER_SECOND };
    }),
  );
}

/** Cuts pauses off the words at the ends of sentences, by the median length of all words. In place. */
function limited(phrases: HeardWord[][]): HeardWord[][] {
  const lengths = phrases
    .flat()
    .map(({ start, end }) => end - start)
    .filter((length) => length > 0)
    .sort((a, b) => a - b);
  const longest = 2 * Math.min(LONGEST_USUAL, lengths[Math.floor(lengths.length / 2)] ?? LONGEST_USUAL);
  for (const words of phrases)
    for (const [index, word] of words.entries()) {
      if (word.end - word.start <= longest) continue;
      if (SENTENCE_END.test(word.text) || index === words.length - 1) word.end = word.start + longest;
      else if (index === 0 || SENTENCE_END.test(words[index - 1]!.text)) word.start = word.end - longest;
    }
  return phrases;
}
