/** Words of tokens: a token may be a part of a word, and even of a letter. */
import type { WhisperVocabulary } from './vocabulary.ts';

/** Turns tokens into text. */
type Speller = Pick<WhisperVocabulary, 'text'>;

export interface Word {
  text: string;
  tokens: number[];
  /** How many of the tokens are punctuation after the word. */
  after: number;
}

/** Languages that are written without spaces between words. */
const WITHOUT_SPACES = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue']);
/** Punctuation that belongs to the word after it, and to the word before it. */
const BEFORE = '"\'“¿([{-';
const AFTER = '"\'.。,，!！?？:：”)]}、';

/** Splits tokens of a text into words, each with the punctuation around it. */
export function splitWords(vocabulary: Speller, tokens: readonly number[], language: string): Word[] {
  const characters = splitCharacters(vocabulary, tokens);
  const words = WITHOUT_SPACES.has(language) ? characters : joinAtSpaces(characters);
  return withPunctuation(words);
}

/** The shortest groups of tokens that are complete characters. */
function splitCharacters(vocabulary: Speller, tokens: readonly number[]): Word[] {
  const groups: Word[] = [];
  let pending: number[] = [];
  for (const [index, token] of tokens.entries()) {
    pending.push(token);
    const text = vocabulary.text(pending);
    if (text.includes('\uFFFD') && index < tokens.length - 1) continue;
    groups.push({ text, tokens: pending, after: 0 });
    pending = [];
  }
  return groups;
}

function joinAtSpaces(parts: readonly Word[]): Word[] {
  const words: Word[] = [];
  for (const part of parts) {
    const last = words.at(-1);
    const isPunctuation = /^[!-/:-@[-`{-~]$/.test(part.text.trim());
    if (!last || part.text.startsWith(' ') || isPunctuation) words.push({ ...part });
    else words[words.length - 1] = joined(last, part);
  }
  return words;
}

/** A word that continues in the next part. */
const joined = (first: Word, second: Word): Word => ({
  ...first,
  text: first.text + second.text,
  tokens: [...first.tokens, ...second.tokens],
});

function withPunctuation(words: readonly Word[]): Word[] {
  const result: Word[] = [];
  let opening: Word | undefined;
  for (const word of words) {
    const last = result.at(-1);
    const trimmed = word.text.trim();
    const complete = opening ? joined(opening, word) : word;
    opening = undefined;
    if (word.text.startsWith(' ') && trimmed !== '' && BEFORE.includes(trimmed)) opening = complete;
    else if (last && !last.text.endsWith(' ') && word.text !== '' && AFTER.includes(word.text))
      result[result.length - 1] = { ...joined(last, complete), after: last.after + complete.tokens.length };
    else result.push(complete);
  }
  if (opening) result.push(opening);
  return result;
}
