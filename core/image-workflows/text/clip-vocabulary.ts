import { lettersOfBytes } from './byte-letters.ts';
import type { ClipVocabulary } from './clip-tokenizer.ts';

/**
 * The vocabulary of CLIP's tokenizer, which all of its text encoders share. It consists of the 256 bytes, the bytes at
 * the end of a word, the result of each merge, and the two special tokens.
 */
export async function clipVocabulary(): Promise<ClipVocabulary> {
  const {
    default: { merges },
  } = await import('./clip-merges.json', { with: { type: 'json' } });
  // Letters from U+0100 follow the printable ones.
  const letters = lettersOfBytes().sort();
  const tokens = [
    ...letters,
    ...letters.map((letter) => `${letter}</w>`),
    ...merges.map((merge) => merge.replace(' ', '')),
    '<|startoftext|>',
    '<|endoftext|>',
  ];
  return {
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    merges: merges.join('\n'),
  };
}
