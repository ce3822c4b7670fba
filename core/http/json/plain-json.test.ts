import { describe, expect, it } from 'vitest';
import { runToEnd } from '#core/base';
import { countSteps } from '#test/support/steps/count-steps.ts';
import { JSON_STEP } from './json-scanner.ts';
import { parseJsonSteps } from './parse-json.ts';
import { parsePlainJson, plainJsonSteps } from './plain-json.ts';

const parse = (text: string) => runToEnd(plainJsonSteps(text, 500));
/** JSON of about 1.5 million characters, with lines. */
const LARGE = JSON.stringify(
  Array.from({ length: 12_000 }, (_, n) => ({ id: n, name: `née "${n}"`, deep: { list: [[n], [], {}] } })),
  null,
  1,
);

describe('plainJsonSteps', () => {
  it.each([
    '{"b":1,"a":[true,false,null,-0,1e3,0.1,1e999],"b":2,"10":1,"2":0}',
    '"\\ud800 \\u00e9\\n\\/"',
    ' [ ] ',
    '7',
    '{"__proto__":{"x":1}}',
    LARGE,
  ])('gives the value of JSON.parse', (text) => {
    const value = parse(text);
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    '',
    '{"a":',
    '{"a" 1}',
    '[1,]',
    '[1}',
    "{'a':1}",
    'nul',
    '[01]',
    '"a\nb"',
    '{}x',
    '[1] \n 2',
    `${LARGE} x`,
    LARGE.slice(0, -1),
    LARGE.replace('"id": 11000', '"id": x'),
    LARGE.replace('"id": 11000,', '"id": 11000'),
    LARGE.replace('"id": 40,', '"id": 40,,'),
    `[${LARGE},${LARGE.replaceAll('\n', '').replace('"id": 9000', '"id" 9000')}]`,
  ])('gives the error of JSON.parse', (text) => {
    let expected: unknown;
    try {
      JSON.parse(text);
    } catch (error) {
      expected = error;
    }
    expect(() => parse(text)).toThrow(expected as SyntaxError);
  });

  it('refuses what is nested too deep', () => {
    expect(() => parse('['.repeat(501) + ']'.repeat(501))).toThrow('nested more than 500 levels deep');
  });
});

/** Text of the same length in every shape that could keep a scanner busy. */
const LENGTH = 40 * JSON_STEP;
const SHAPES = [
  ['numbers', `[${'1,'.repeat(LENGTH / 2)}1]`],
  ['a string', `"${'x'.repeat(LENGTH)}"`],
  ['a key', `{"${'x'.repeat(LENGTH)}":1}`],
  ['escapes', `"${'\\n'.repeat(LENGTH / 2)}"`],
  ['white space', `[${' '.repeat(LENGTH)}]`],
  ['space before the value', `${' '.repeat(LENGTH)}1`],
  ['members', `{${'"abcdef":[{}],'.repeat(LENGTH / 14)}"a":1}`],
  ['objects in each other', '{"a":'.repeat(400).concat(`"${'x'.repeat(LENGTH)}"`, '}'.repeat(400))],
] as const;

describe.each(SHAPES)('%s', (_name, text) => {
  it('let the event loop continue about every step', () => {
    expect(countSteps(plainJsonSteps(text, 500)).count).toBeGreaterThanOrEqual(39);
    expect(countSteps(parseJsonSteps(text, 500)).count).toBeGreaterThanOrEqual(39);
  });
});

it('parsePlainJson ends with the reason of its signal', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('left')), 0);
  const huge = `[${'1,'.repeat(3_000_000)}1]`;
  await expect(parsePlainJson(huge, 500, controller.signal)).rejects.toThrow('left');
});
