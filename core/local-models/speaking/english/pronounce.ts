import { dictionaryPhonemes } from './dictionary.ts';
import { letterPhonemesOf, withOneStress } from './letter-phonemes.ts';
import lexicon from './lexicon.json' with { type: 'json' };

const split = (phonemes: string): string[] => phonemes.split(' ');
const table = (words: Record<string, string>): ReadonlyMap<string, string[]> =>
  new Map(Object.entries(words).map(([word, phonemes]) => [word, split(phonemes)]));

const OWN_WORDS = table(lexicon.words);
const LETTERS = table(lexicon.letters);
const SPELLED = new Set(lexicon.spelled);

/** Consonants after which an ending `s` or `d` needs a vowel, and those that make it voiceless. */
const HISSES = new Set(['S', 'Z', 'SH', 'ZH', 'CH', 'JH']);
const STOPS = new Set(['T', 'D']);
const VOICELESS = new Set(['P', 'T', 'K', 'F', 'TH', 'S', 'SH', 'CH', 'HH']);

/**
 * The phonemes of a word in ARPAbet, with the stress of each vowel: of the dictionary, of a word inside it, or of its letters.
 * @param written the word as it is written: letters from a to z and apostrophes. Capitals may spell an abbreviation
 * @param isShouted the text around the word is in capitals, too, so that they mean nothing
 */
export function phonemesOfWord(written: string, isShouted = false): string[] {
  const word = written.toLowerCase().replace(/^'+|'+$/g, '');
  if (word === '') return [];
  if (word.length === 1) return LETTERS.get(word) ?? [];
  const abbreviation = isShouted ? undefined : /^([A-Z]{2,6})('?s)?$/.exec(written);
  if (abbreviation && isSpelled(abbreviation[1]!.toLowerCase())) {
    const letters = spelledPhonemes(abbreviation[1]!.toLowerCase());
    return abbreviation[2] ? withEndingS(letters) : letters;
  }
  return knownPhonemes(word) ?? derivedPhonemes(word) ?? unknownPhonemes(word);
}

const knownPhonemes = (word: string): string[] | undefined => OWN_WORDS.get(word) ?? dictionaryPhonemes(word);

/** Words in capitals are spelled when nobody could say them as words. */
function isSpelled(word: string): boolean {
  if (SPELLED.has(word)) return true;
  if (knownPhonemes(word)) return false;
  return word.length <= 3 || !hasSyllable(word);
}

/** Whether a word has vowels, and no more than two consonants at its start. */
const hasSyllable = (word: string): boolean => /[aeiouy]/.test(word) && !/^[^aeiouy]{3}/.test(word);

/** The names of letters, the last one stressed. */
export function spelledPhonemes(letters: string): string[] {
  const names = [...letters].flatMap((letter) => LETTERS.get(letter) ?? []);
  const last = names.findLastIndex((phoneme) => phoneme.endsWith('1'));
  return names.map((phoneme, at) => (at < last ? phoneme.replace(/1$/, '2') : phoneme));
}

function unknownPhonemes(word: string): string[] {
  const letters = word.replaceAll("'", '');
  return hasSyllable(letters) || /^(sch|scr|spl|spr|str|thr|shr|chr|phr)/.test(letters)
    ? letterPhonemesOf(letters)
    : spelledPhonemes(letters);
}

/** The phonemes of a word whose stem the dictionary has. Undefined: no stem was found. */
function derivedPhonemes(word: string): string[] | undefined {
  return (
    inflectedPhonemes(word) ?? suffixedPhonemes(word) ?? prefixedPhonemes(word) ?? compoundPhonemes(word)
  );
}

function inflectedPhonemes(word: string): string[] | undefined {
  const stem = (ending: RegExp, ...replacements: string[]): string[] | undefined => {
    if (!ending.test(word)) return undefined;
    for (const replacement of replacements) {
      const candidate = word.replace(ending, replacement);
      const phonemes = candidate.length > 2 ? knownPhonemes(candidate) : undefined;
      if (phonemes) return phonemes;
    }
    return undefined;
  };
  const undoubled = /([bdfgklmnprstvz])\1(ed|ing|er|est)$/.test(word) ? ['$1'] : [];
  const plural =
    stem(/'s$|s'$/, '') ?? stem(/ies$/, 'y') ?? stem(/(?<=[sxzh])es$/, '') ?? stem(/(?<!s)s$/, '');
  if (plural) return withEndingS(plural);
  const past = stem(/ied$/, 'y') ?? stem(/ed$/, '', 'e') ?? undoubledStem(word, 'ed', undoubled);
  if (past) return withEndingD(past);
  const running = stem(/in[g']$/, '', 'e') ?? undoubledStem(word, 'ing', undoubled);
  return running && [...running, 'IH0', word.endsWith("'") ? 'N' : 'NG'];
}

function undoubledStem(word: string, ending: string, allowed: readonly string[]): string[] | undefined {
  return allowed.length > 0 && word.endsWith(ending)
    ? knownPhonemes(word.slice(0, -ending.length - 1))
    : undefined;
}

/** Plural or possessive: `cats`, `dogs`, `horses`. */
function withEndingS(phonemes: readonly string[]): string[] {
  const last = phonemes.at(-1)!;
  if (HISSES.has(last)) return [...phonemes, 'AH0', 'Z'];
  return [...phonemes, VOICELESS.has(last) ? 'S' : 'Z'];
}

/** The past: `walked`, `lived`, `wanted`. */
function withEndingD(phonemes: readonly string[]): string[] {
  const last = phonemes.at(-1)!;
  if (STOPS.has(last)) return [...phonemes, 'AH0', 'D'];
  return [...phonemes, VOICELESS.has(last) ? 'T' : 'D'];
}

const SUFFIXES: readonly (readonly [ending: string, phonemes: string])[] = [
  ['ness', 'N AH0 S'],
  ['less', 'L AH0 S'],
  ['ment', 'M AH0 N T'],
  ['ship', 'SH IH2 P'],
  ['like', 'L AY2 K'],
  ['able', 'AH0 B AH0 L'],
  ['ful', 'F AH0 L'],
  ['ism', 'IH2 Z AH0 M'],
  ['ist', 'IH0 S T'],
  ['ers', 'ER0 Z'],
  ['est', 'AH0 S T'],
  ['ly', 'L IY0'],
  ['er', 'ER0'],
];

function suffixedPhonemes(word: string): string[] | undefined {
  for (const [ending, phonemes] of SUFFIXES) {
    if (!word.endsWith(ending)) continue;
    const base = word.slice(0, -ending.length);
    if (base.length < 3) continue;
    const stems = [base, `${base}e`, base.replace(/i$/, 'y')];
    const stem = stems.map((each) => knownPhonemes(each) ?? inflectedPhonemes(each)).find(Boolean);
    if (stem) return [...stem, ...split(phonemes)];
  }
  return undefined;
}

const PREFIXES: readonly (readonly [beginning: string, phonemes: string])[] = [
  ['anti', 'AE2 N T IY0'],
  ['auto', 'AO2 T OW0'],
  ['inter', 'IH2 N T ER0'],
  ['micro', 'M AY2 K R OW0'],
  ['multi', 'M AH2 L T IY0'],
  ['over', 'OW2 V ER0'],
  ['under', 'AH2 N D ER0'],
  ['super', 'S UW2 P ER0'],
  ['non', 'N AA2 N'],
  ['out', 'AW2 T'],
  ['dis', 'D IH0 S'],
  ['mis', 'M IH0 S'],
  ['pre', 'P R IY0'],
  ['sub', 'S AH2 B'],
  ['un', 'AH0 N'],
  ['re', 'R IY0'],
  ['de', 'D IY0'],
];

function prefixedPhonemes(word: string): string[] | undefined {
  for (const [beginning, phonemes] of PREFIXES) {
    if (!word.startsWith(beginning)) continue;
    const rest = word.slice(beginning.length);
    const stem = rest.length < 4 ? undefined : (knownPhonemes(rest) ?? inflectedPhonemes(rest));
    if (stem) return [...split(phonemes), ...stem];
  }
  return undefined;
}

/** Two words in one: `webserver`. The first one carries the main stress. */
function compoundPhonemes(word: string): string[] | undefined {
  for (let at = word.length - 3; at >= 3; at--) {
    const first = knownPhonemes(word.slice(0, at));
    const second = first && (knownPhonemes(word.slice(at)) ?? inflectedPhonemes(word.slice(at)));
    if (second) return withOneStress([...first, ...second]);
  }
  return undefined;
}
