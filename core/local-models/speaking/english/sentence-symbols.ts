import lexicon from './lexicon.json' with { type: 'json' };
import { phonemesOfWord } from './pronounce.ts';

/** How English is spoken: in the United States, or in Britain. */
export type Accent = 'american' | 'british';

/** The symbols of the phonemes that both accents have, as Kokoro models were trained with them. */
const CONSONANTS: Readonly<Record<string, string>> = {
  B: 'b',
  CH: 'ʧ',
  D: 'd',
  DH: 'ð',
  F: 'f',
  G: 'ɡ',
  HH: 'h',
  JH: 'ʤ',
  K: 'k',
  L: 'l',
  M: 'm',
  N: 'n',
  NG: 'ŋ',
  P: 'p',
  R: 'ɹ',
  S: 's',
  SH: 'ʃ',
  T: 't',
  TH: 'θ',
  V: 'v',
  W: 'w',
  Y: 'j',
  Z: 'z',
  ZH: 'ʒ',
};
/** Capitals are diphthongs: A as in day, I as in my, O and Q as in go, W as in now, Y as in boy. */
const VOWELS: Readonly<Record<Accent, Readonly<Record<string, string>>>> = {
  american: {
    AA: 'ɑ',
    AE: 'æ',
    AH: 'ʌ',
    AO: 'ɔ',
    AW: 'W',
    AY: 'I',
    EH: 'ɛ',
    ER: 'ɜɹ',
    EY: 'A',
    IH: 'ɪ',
    IY: 'i',
    OW: 'O',
    OY: 'Y',
    UH: 'ʊ',
    UW: 'u',
  },
  british: {
    AA: 'ɑː',
    AE: 'a',
    AH: 'ʌ',
    AO: 'ɔː',
    AW: 'W',
    AY: 'I',
    EH: 'ɛ',
    ER: 'ɜː',
    EY: 'A',
    IH: 'ɪ',
    IY: 'iː',
    OW: 'Q',
    OY: 'Y',
    UH: 'ʊ',
    UW: 'uː',
  },
};
const MARKS: Readonly<Record<string, string>> = { 1: 'ˈ', 2: 'ˌ' };

interface Phoneme {
  name: string;
  /** 0, 1 or 2 of a vowel, or `UNMARKED`. Empty: a consonant. */
  stress: string;
}
/** A vowel without a mark that stays full. */
const UNMARKED = '3';

const toPhoneme = (symbol: string): Phoneme => ({
  name: symbol.replace(/\d$/, ''),
  stress: /\d$/.exec(symbol)?.[0] ?? '',
});
const isVowel = (phoneme: Phoneme | undefined): boolean => phoneme !== undefined && phoneme.stress !== '';

/** The symbols of a word. `spelling` distinguishes what the dictionary's American vowels do not. */
function symbolsOf(
  phonemes: readonly Phoneme[],
  accent: Accent,
  spelling: string,
  next: Phoneme | undefined,
): string {
  return phonemes
    .map((phoneme, at) => {
      const [before, after] = [phonemes[at - 1], phonemes[at + 1] ?? next];
      if (!isVowel(phoneme)) {
        if (accent === 'british')
          return phoneme.name === 'R' && !isVowel(after) ? '' : CONSONANTS[phoneme.name]!;
        // Between vowels of which the second is weak, as in water, Americans tap.
        const isTapped =
          phoneme.name === 'T' &&
          (isVowel(before) || before?.name === 'R') &&
          phonemes[at + 1]?.stress === '0' &&
          phonemes[at + 2]?.name !== 'N';
        return isTapped ? 'T' : CONSONANTS[phoneme.name]!;
      }
      return `${MARKS[phoneme.stress] ?? ''}${vowelSymbol(phoneme, accent, spelling, phonemes, at, next)}`;
    })
    .join('');
}

function vowelSymbol(
  { name, stress }: Phoneme,
  accent: Accent,
  spelling: string,
  phonemes: readonly Phoneme[],
  at: number,
  next: Phoneme | undefined,
): string {
  const after = phonemes[at + 1];
  if (name === 'AH' && stress === '0') {
    const isSyllabic =
      after?.name === 'L' && at + 2 === phonemes.length && at > 0 && !isVowel(phonemes[at - 1]);
    return isSyllabic ? 'ᵊ' : 'ə';
  }
  if (name === 'ER' && stress === '0') {
    if (accent === 'american') return 'əɹ';
    return isVowel(after ?? next) ? 'əɹ' : 'ə';
  }
  if (accent === 'british') {
    if (name === 'ER' && isVowel(after)) return 'ɜːɹ';
    if (name === 'AA' && after?.name !== 'R' && spelling.includes('o')) return 'ɒ';
    if (name === 'IY' && stress === '0') return 'i';
  }
  return VOWELS[accent][name]!;
}

const UNSTRESSED = new Set(lexicon.unstressed);
const REDUCED: ReadonlyMap<string, string> = new Map(Object.entries(lexicon.reduced));
const BEFORE_VOWEL: ReadonlyMap<string, string> = new Map(Object.entries(lexicon.beforeVowel));

/** The phonemes of a word in a sentence: small words are weak, but for the last one. */
function phonemesInSentence(
  word: string,
  following: readonly Phoneme[] | undefined,
  isShouted: boolean,
): readonly Phoneme[] {
  const small = word.toLowerCase();
  const isAbbreviation = !isShouted && word.length > 1 && word === word.toUpperCase();
  if (isAbbreviation || !following || !UNSTRESSED.has(small))
    return phonemesOfWord(word, isShouted).map(toPhoneme);
  const form = (isVowel(following[0]) ? BEFORE_VOWEL.get(small) : undefined) ?? REDUCED.get(small);
  return (form?.split(' ') ?? phonemesOfWord(small))
    .map(toPhoneme)
    .map((phoneme) => (phoneme.stress > '0' ? { ...phoneme, stress: UNMARKED } : phoneme));
}

/**
 * Phonemes of a sentence, in the symbols of Kokoro models: words with stress marks, spaces and punctuation.
 * @param sentence words from a to z and punctuation, as `spokenText` returns them
 */
export function symbolsOfSentence(sentence: string, accent: Accent): string {
  const parts = sentence.match(/[A-Za-z'’]+|[^A-Za-z'’]+/g) ?? [];
  const isShouted = !/[a-z]/.test(sentence) && parts.length > 3;
  const isWord = (part: string): boolean => /[A-Za-z]/.test(part);
  const phonemes: (readonly Phoneme[] | undefined)[] = [];
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at]!;
    if (!isWord(part)) continue;
    const following = parts[at + 1] === ' ' ? phonemes[at + 2] : undefined;
    phonemes[at] = phonemesInSentence(part, following, isShouted);
  }
  return parts
    .map((part, at) =>
      isWord(part)
        ? symbolsOf(
            phonemes[at]!,
            accent,
            part.toLowerCase(),
            parts[at + 1] === ' ' ? phonemes[at + 2]?.[0] : undefined,
          )
        : part.replaceAll("'", ''),
    )
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}
