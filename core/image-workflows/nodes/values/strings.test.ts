import { describe, expect, it } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { previewAny } from './preview-any.ts';
import { stringNodes } from './strings.ts';

const context = { host: createTestHost(), signal: new AbortController().signal } as unknown as NodeContext;
const run = async (name: string, values: Record<string, unknown>) =>
  ((await stringNodes.find((type) => type.name === name)!.run(values, context)) as unknown[])[0];

// The expected texts are those of Python's `str`.
describe('nodes for texts', () => {
  it.each([
    ['StringSubstring', { string: '🙂abc', start: 1, end: -1 }, 'ab'],
    ['StringLength', { string: '🙂a' }, 2],
    ['CaseConverter', { string: "hELLO wORLD's", mode: 'Title Case' }, "Hello World'S"],
    ['CaseConverter', { string: 'hELLO wORLD', mode: 'Capitalize' }, 'Hello world'],
    ['CaseConverter', { string: 'straße', mode: 'UPPERCASE' }, 'STRASSE'],
    ['StringTrim', { string: ' \u0085a b\n', mode: 'Both' }, 'a b'],
    ['StringTrim', { string: ' a ', mode: 'Left' }, 'a '],
    ['StringTrim', { string: ' a ', mode: 'Right' }, ' a'],
    ['StringReplace', { string: 'ab', find: '', replace: '-' }, '-a-b-'],
    ['StringReplace', { string: '', find: '', replace: '--' }, '--'],
    ['StringReplace', { string: 'a.a', find: 'a', replace: '$&' }, '$&.$&'],
    ['StringContains', { string: 'Hello', substring: 'hell', case_sensitive: true }, false],
    ['StringContains', { string: 'Hello', substring: 'hell', case_sensitive: false }, true],
    ['StringCompare', { string_a: 'Hello', string_b: 'LO', mode: 'Ends With', case_sensitive: false }, true],
    ['StringCompare', { string_a: 'Hello', string_b: 'hello', mode: 'Equal', case_sensitive: true }, false],
  ])('%s of %j is %j', async (name, values, expected) => {
    expect(await run(name, values)).toBe(expected);
  });

  const flags = { case_insensitive: false, multiline: false, dotall: false };
  it.each([
    ['First Match', 'a1'],
    ['All Matches', 'a1\nb2'],
    ['First Group', '1'],
    ['All Groups', '1\n2'],
  ])('RegexExtract with %s', async (mode, expected) => {
    const values = { ...flags, string: 'a1 b2', regex_pattern: '[a-z](\\d)', mode, group_index: 1 };
    expect(await run('RegexExtract', values)).toBe(expected);
  });

  it('an invalid pattern matches nothing', async () => {
    const values = { ...flags, string: 'a', regex_pattern: '(' };
    expect(await run('RegexMatch', values)).toBe(false);
    expect(await run('RegexExtract', { ...values, mode: 'First Match', group_index: 1 })).toBe('');
  });
});

it.each([
  [null, 'None'],
  [true, 'True'],
  ['text', 'text'],
  [2n ** 60n, '1152921504606846976'],
  [{ samples: { shape: [1, 4], data: new Float32Array(4) } }, '{"samples":"tensor of shape [1, 4]"}'],
  [new Map([['a', 1n]]), '{"a":1}'],
])('PreviewAny shows a value as text (%#)', async (source, text) => {
  expect(await previewAny.run({ source }, context)).toEqual({ outputs: [text], ui: { text: [text] } });
});
