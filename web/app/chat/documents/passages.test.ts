import fc from 'fast-check';
import { expect, it } from 'vitest';
import { passagesOf } from './passages.ts';

it('ends passages with sentences and repeats a short last one', () => {
  const sentence = (at: number) => `This is sentence number ${at} of a text.`;
  const text = Array.from({ length: 60 }, (_, at) => sentence(at)).join(' ');
  const passages = passagesOf(text);
  expect(passages.length).toBeGreaterThan(2);
  for (const passage of passages) {
    expect(passage.length).toBeLessThanOrEqual(800);
    expect(passage).toMatch(/^This is sentence .* of a text\.$/);
  }
  const lastOfFirst = passages[0]!.match(/This is sentence number \d+ of a text\.$/)![0];
  expect(passages[1]!.startsWith(lastOfFirst)).toBe(true);
});

it('ends a passage with its paragraph', () => {
  const paragraph = (topic: string) => `${`A fact about ${topic}. `.repeat(25).trim()}\n\n`;
  expect(passagesOf(paragraph('cats') + paragraph('dogs'))).toEqual([
    paragraph('cats').trim(),
    paragraph('dogs').trim(),
  ]);
});

it('ends no passage within a word, and knows the points of other scripts', () => {
  const file = 'Open the file notes.txt in version 1.2 of the program';
  expect(passagesOf(`${file}, `.repeat(20)).every((text) => /^Open|,$/.test(text))).toBe(true);
  for (const text of passagesOf('海は青い。空も青い。'.repeat(120))) expect(text).toMatch(/^[海空].*。$/);
});

it('keeps short texts whole, and has no passages of white space', () => {
  expect(passagesOf('One. Two!')).toEqual(['One. Two!']);
  expect(passagesOf(' \n\n ')).toEqual([]);
});

it('loses no word of any text', () => {
  const words = fc.array(fc.stringMatching(/^[a-zé😀.!?\n]{1,30}$/u), { maxLength: 300 });
  fc.assert(
    fc.property(words, fc.constantFrom(' ', '. ', '\n', '\n\n', ''), (parts, separator) => {
      const text = parts.join(separator);
      const passages = passagesOf(text);
      const letters = (value: string) => value.replace(/\s/g, '');
      let rest = letters(text);
      for (const passage of passages) {
        const own = letters(passage);
        // A passage begins where the one before ended, or repeats its last sentence.
        let at = own.length;
        while (at > 0 && !rest.startsWith(own.slice(own.length - at))) at--;
        rest = rest.slice(at);
        expect(passage.length).toBeLessThanOrEqual(800);
      }
      expect(rest).toBe('');
    }),
  );
});
