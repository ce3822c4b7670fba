/** Japanese syllables in Latin letters, in Hepburn's way of writing. Other letters stay. */
import table from './romaji.json' with { type: 'json' };

/** The letters of both alphabets have the same order. */
const KATAKANA = 'ア'.codePointAt(0)! - 'あ'.codePointAt(0)!;
const [FIRST_KATAKANA, LAST_KATAKANA] = ['ァ', 'ン'];
const PUNCTUATION: Readonly<Record<string, string>> = { '\u3000': ' ', '、': ', ', '。': '. ', ヴ: 'vu' };
/** Doubles the consonant after it. */
const DOUBLING = 'っ';
/** Join with the letter before them. */
const SMALL: Readonly<Record<string, string>> = { ゃ: 'a', ゅ: 'u', ょ: 'o' };

const JOINED: Readonly<Record<string, string>> = table.joined;
const LETTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(table.vowels),
  ...Object.entries(table.rows).flatMap(([row, sounds]) =>
    [...row].map((letter, at): [string, string] => [letter, sounds[at]!]),
  ),
  [DOUBLING, ''],
]);

export function toRomaji(text: string): string {
  const letters = [...text];
  let result = '';
  for (let at = 0; at < letters.length; at++) {
    const [letter, next] = [hiragana(letters[at]!), letters[at + 1]];
    if (letter === DOUBLING && next !== undefined) {
      const sound = soundOf(next)?.[0];
      if (sound !== undefined && !'aiueon'.includes(sound)) result += sound;
      continue;
    }
    const [start, vowel] = [JOINED[letter], next === undefined ? undefined : SMALL[hiragana(next)]];
    if (start !== undefined && vowel !== undefined && isSameAlphabet(letters[at]!, next!)) {
      result += start + vowel;
      at++;
    } else result += soundOf(letters[at]!) ?? letters[at]!;
  }
  return result;
}

const soundOf = (letter: string): string | undefined => PUNCTUATION[letter] ?? LETTERS.get(hiragana(letter));

const isKatakana = (letter: string): boolean => letter >= FIRST_KATAKANA && letter <= LAST_KATAKANA;
const isSameAlphabet = (a: string, b: string): boolean => isKatakana(a) === isKatakana(b);

const hiragana = (letter: string): string =>
  isKatakana(letter) ? String.fromCodePoint(letter.codePointAt(0)! - KATAKANA) : letter;
