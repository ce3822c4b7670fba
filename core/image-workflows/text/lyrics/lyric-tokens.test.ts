/** Expected texts follow from ComfyUI's `text_encoders/ace.py` and `ace_text_cleaners.py`. */
import { describe, expect, it, test } from 'vitest';
import { tableTokenizer } from '../table-tokenizer.ts';
import { cleanLyrics } from './clean-lyrics.ts';
import { LYRICS_START, lyricTokens } from './lyric-tokens.ts';
import { toRomaji } from './romaji.ts';

describe('English lyrics', () => {
  it.each([
    ['I have 1,234 Reasons', 'i have one thousand two hundred thirty four reasons'],
    ['the 2nd of 30', 'the two of thirty'],
    ['0 and 2.50 and 0.5', 'zero and two point five and point five'],
    ['1000000001', 'one billion one'],
    ['$5 & £2.50', 'five point zero and two point five'],
    ['$1.2.3 stays, 4 does not', 'dollar one point two.three stays, four does not'],
    ['Mr. Smith on St. James', 'mister smith on saint james'],
    ['50% @ home\tnow', 'fifty percent at home now'],
    ['a "quote"', 'a quote'],
    ['10000000000000000.5 times 7', '10000000000000000.5 times 7'],
  ])('%s', (text, expected) => {
    expect(cleanLyrics(text, 'en')).toBe(expected);
  });
});

test('lyrics of other languages become small letters alone', () => {
  expect(cleanLyrics('Zwei & 3 DINGE', 'de')).toBe('zwei & 3 dinge');
  expect(cleanLyrics('İstanbul', 'tr')).toBe('istanbul');
});

it.each([
  ['きゃりー', 'kyariー'],
  ['がっこう', 'gakkou'],
  ['シャッター', 'shattaー'],
  ['ヴァ。', 'vuァ. '],
  ['おんなっ', 'onna'],
  ['きャ', 'kiya'],
  ['東京 night', '東京 night'],
])('%s in Latin letters', (text, expected) => {
  expect(toRomaji(text)).toBe(expected);
});

describe('tokens', () => {
  const named = { '[SPACE]': 2, '[START]': 261, '[en]': 259, '[de]': 260, '[ja]': 5412, '[zh-cn]': 5023 };
  const parts = { ...named, '[chorus]': 6684 };
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const tokenizer = tableTokenizer(
    {
      version: '1.0',
      added_tokens: Object.entries({ '[UNK]': 1, ...parts }).map(([content, id]) => ({
        ...{
          id,
          content,
          special: true,
          single_word: false,
          lstrip: false,
          rstrip: false,
          normalized: false,
        },
      })),
      normalizer: null,
      pre_tokenizer: { type: 'Whitespace' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'BPE',
        unk_token: '[UNK]',
        vocab: {
          '[UNK]': 1,
          ...parts,
          ...Object.fromEntries([...letters].map((letter, at) => [letter, 14 + at])),
          th: 40,
          好: 41,
        },
        merges: [['t', 'h']],
      },
    },
    {},
    { start: '[START]', pad: '[SPACE]' },
  );
  const [a, b, h, i] = [14, 15, 21, 22];

  it('begins with a start, and each line ends with a space', () => {
    expect(tokenizer.start).toBe(LYRICS_START);
    expect(lyricTokens('a thb\n\nI', tokenizer)).toEqual([261, 259, a, 2, 40, b, 2, 2, 259, i, 2]);
    expect(lyricTokens('', tokenizer)).toEqual([261]);
  });

  it('takes the language from the beginning of a line, or from its letters', () => {
    expect(lyricTokens('[DE]ab', tokenizer)).toEqual([261, 260, a, b, 2]);
    expect(lyricTokens('[zh]好', tokenizer)).toEqual([261, 5023, 41, 2]);
    expect(lyricTokens('あ', tokenizer)).toEqual([261, 5412, a, 2]);
    expect(lyricTokens('[xx]a', tokenizer).slice(0, 2)).toEqual([261, 259]);
  });

  it('knows the parts of music', () => {
    expect(lyricTokens('[Chorus]\nhi', tokenizer)).toEqual([261, 259, 6684, 2, 259, h, i, 2]);
  });

  it('removes parentheses of weights, and ends a line there', () => {
    expect(lyricTokens('a(b:1.2)', tokenizer)).toEqual([261, 259, a, 2, 259, b, 2]);
  });
});
