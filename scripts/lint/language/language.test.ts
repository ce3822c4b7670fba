import { describe, expect, it } from 'vitest';
import { bannedName, bannedStart, bannedWords, longSentences, sentences } from './check-text.ts';
import { sourceTexts } from './source-texts.ts';

/** A banned word that this file may not contain itself. */
const BANNED = ['be', 'side'].join('');

describe('check-text', () => {
  it('finds banned words, but not within code, quotes and other words', () => {
    expect(bannedWords(`The file lies ${BANNED} it.`)).toHaveLength(1);
    expect(bannedWords(`The option \`${BANNED}\` and "${BANNED}" and ${BANNED}s`)).toEqual([]);
  });

  it('finds inverted beginnings', () => {
    expect(bannedStart('What the caller sends.')).toHaveLength(1);
    expect(bannedStart('The caller sends it. What else?')).toEqual([]);
  });

  it('counts the words of each sentence', () => {
    const long = `${'word '.repeat(26)}.`;
    expect(longSentences(long)).toHaveLength(1);
    expect(longSentences(`${'word '.repeat(20)}. ${'Word '.repeat(20)}.`)).toEqual([]);
    expect(sentences('One. Two!\n\n- three\n- four')).toEqual(['One.', 'Two!', '- three', '- four']);
  });

  it('refuses names without content', () => {
    expect(bannedName('told')).toHaveLength(1);
    expect(bannedName('retold')).toEqual([]);
  });
});

it('finds comments, names, titles and messages of a source file', () => {
  const code = `// One comment
// in two lines.
it('has a title', () => {
  const { first, second: [third] } = read('a message for people');
});`;
  const texts = sourceTexts('x.ts', code).map(({ kind, text }) => [kind, text.trim()]);
  expect(texts).toContainEqual(['comment', 'One comment\n in two lines.']);
  expect(texts).toContainEqual(['title', 'has a title']);
  expect(texts).toContainEqual(['message', 'a message for people']);
  expect(texts.filter(([kind]) => kind === 'name').map(([, name]) => name)).toEqual(['first', 'third']);
});
