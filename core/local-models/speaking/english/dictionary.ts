import symbols from './arpabet.json' with { type: 'json' };
import spokenWords from './spoken-words.json' with { type: 'json' };

/** The character that stands for the first symbol. The others follow, but for the backslash, which `~` replaces. */
const FIRST_CODE = 0x23;

let words: ReadonlyMap<string, string> | undefined;

/** The codes of the phonemes of all words. Taking the lines apart takes a tenth of a second. */
function readWords(): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  let word = '';
  for (const line of spokenWords.words.split('\n')) {
    const space = line.indexOf(' ');
    word = word.slice(0, Number(line[0])) + line.slice(1, space);
    codes.set(word, line.slice(space + 1));
  }
  return codes;
}

/**
 * The phonemes of a word in small letters, in ARPAbet with the stress of each vowel: `['HH', 'AH0', 'L', 'OW1']`. Undefined:
 * the CMU Pronouncing Dictionary lacks it.
 */
export function dictionaryPhonemes(word: string): string[] | undefined {
  words ??= readWords();
  const codes = words.get(word);
  return codes === undefined
    ? undefined
    : [...codes].map((code) => symbols[(code === '~' ? 0x5c : code.charCodeAt(0)) - FIRST_CODE]!);
}
