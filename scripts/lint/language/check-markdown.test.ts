import { expect, it } from 'vitest';
import { longLines, markdownComplaints } from './check-markdown.ts';
import rules from './rules.json' with { type: 'json' };

const word = Object.keys(rules.words)[0]!;
const WIDE = 'word '.repeat(25).trim();

it('reports lines of more than 120 characters', () => {
  expect(longLines(`short\n${WIDE}\n`)).toEqual([{ line: 2, text: 'a line of 124 characters' }]);
});

it('allows long tables, code blocks and addresses of links', () => {
  const address = `/${'a'.repeat(120)}`;
  expect(
    longLines(`| ${WIDE} |\n\`\`\`\n${WIDE}\n\`\`\`\n[page](${address}), https://host${address}\n`),
  ).toEqual([]);
});

it('reports long lines after a code block', () => {
  expect(longLines(`\`\`\`\ncode\n\`\`\`\n${WIDE}\n`).map(({ line }) => line)).toEqual([4]);
});

it('reports long sentences, also in cells of tables, and replaced words', () => {
  const texts = (content: string) => markdownComplaints(content).map(({ text }) => text);
  expect(texts(`A ${'b '.repeat(25)}.\n`)).toEqual([expect.stringContaining('a sentence of 26 words')]);
  expect(texts(`| a | ${'b '.repeat(26)}. |\n`)).toEqual([expect.stringContaining('a sentence of 26 words')]);
  expect(texts(`The ${word} page.\n`)).toEqual([expect.stringContaining(word)]);
});

it('lets headings, code and HTML tags have any words', () => {
  expect(markdownComplaints(`# ${'b '.repeat(30)}\n\n\`\`\`\n${word}\n\`\`\`\n`)).toEqual([]);
});
