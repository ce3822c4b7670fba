import { expect, it } from 'vitest';
import { VOICE_VOCABULARY } from '#test/support/local-models/speaking/tiny-voice.ts';
import { letterPhonemesOf } from './letter-phonemes.ts';
import { phonemesOfWord } from './pronounce.ts';
import { spokenSentences } from './sentences.ts';

const american = (text: string, most = 510) => [...spokenSentences(text, 'american', most)];
const british = (text: string) => [...spokenSentences(text, 'british', 510)];

it('small words are weak, and the next word changes them', () => {
  expect(american('The dog is an animal to eat.')).toEqual(['ðə dˈɔɡ ɪz ən ˈænəmᵊl tʊ ˈit.']);
  expect(american('The apple is for you to see')).toEqual(['ði ˈæpᵊl ɪz fɔɹ ju tə sˈi.']);
  expect(american('Where are you from?')).toEqual(['wˈɛɹ ɑɹ ju fɹˈʌm?']);
});

it('Americans tap, and Britons drop the r', () => {
  expect(american('water, party, bottle, button')).toEqual(['wˈɔTəɹ, pˈɑɹTi, bˈɑTᵊl, bˈʌtən.']);
  expect(british('water, party, bottle, go, cat, nurse')).toEqual([
    'wˈɔːtə, pˈɑːti, bˈɒtᵊl, ɡˈQ, kˈat, nˈɜːs.',
  ]);
});

it.each([
  ['USA', 'Y UW2 EH2 S EY1'],
  ['HTML', 'EY2 CH T IY2 EH2 M EH1 L'],
  ['APIs', 'EY2 P IY2 AY1 Z'],
  ['NASA', 'N AE1 S AH0'],
  ['US', 'Y UW2 EH1 S'],
  ['us', 'AH1 S'],
  ["dog's", 'D AO1 G Z'],
  ["foxes'", 'F AA1 K S AH0 Z'],
  ['unfriended', 'AH0 N F R EH1 N D AH0 D'],
  ['webserver', 'W EH1 B S ER2 V ER0'],
  ["'", ''],
  ["''", ''],
])('%s is said %s', (word, phonemes) => {
  expect(phonemesOfWord(word).join(' ')).toBe(phonemes);
});

it('a text in capitals is not spelled', () => {
  expect(american('STOP THE CAR NOW!')).toEqual(american('Stop the car now!'));
});

it('words that no dictionary has are said by their letters', () => {
  expect(letterPhonemesOf('blicking').join(' ')).toBe('B L IH1 K IH0 NG');
  expect(letterPhonemesOf('snickle').filter((phoneme) => phoneme.endsWith('1')).length).toBe(1);
});

it('sentences end at their marks, and paragraphs without one, too', () => {
  expect(american('One. Two! "Three?" Four…\n\nFive\n- Six').length).toBe(6);
  expect(american('Dr. Smith has 3.5 apples.').length).toBe(1);
  expect(american('?! 你好')).toEqual([]);
});

it('long sentences are cut at punctuation, and between words', () => {
  const text = `${'one two three, '.repeat(20)}${'four five six '.repeat(20)}.`;
  const parts = american(text, 60);
  expect(parts.every(({ length }) => length <= 60)).toBe(true);
  expect(parts[0]!.endsWith(',')).toBe(true);
  expect(parts.join(' ')).toBe(american(text, 10_000)[0]);
  expect(american('a'.repeat(300), 50).every(({ length }) => length <= 50)).toBe(true);
});

it('all symbols are those of Kokoro models', () => {
  const text =
    'The quick brown fox jumps over the lazy dog; measure the boy’s thing (how?) — "no", you think… about: it!';
  const symbols = new Set([...american(text), ...british(text)].join(''));
  expect([...symbols].filter((symbol) => VOICE_VOCABULARY[symbol] === undefined)).toEqual([]);
});
