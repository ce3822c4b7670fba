import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { calculatingNodes } from './calculate.ts';
import { textDataNodes } from './text-data.ts';

const run = (name: string, values: Record<string, unknown>) =>
  [...calculatingNodes, ...textDataNodes].find((type) => type.name === name)!.run(values, {} as NodeContext);

it.each([
  ['a + b', { a: 3, b: 4.5 }, [7.5, 7, true]],
  ['a > b', { a: 3, b: 4 }, [0, 0, false]],
  ['-a / 2', { a: 5 }, [-2.5, -2, true]],
  ['a and b', { a: true, b: false }, [0, 0, false]],
  ['sum(values) / 3', { a: 1, c: 5, f: true }, [7 / 3, 2, true]],
])('ComfyMathExpression: %s of %j', (expression, values, outputs) => {
  expect(run('ComfyMathExpression', { expression, values })).toEqual(outputs);
});

it.each([
  [2.9, [2.9, 2]],
  [-2.9, [-2.9, -2]],
  [7n, [7, 7]],
  [true, [1, 1]],
  [' 1.5e2 ', [150, 150]],
])('ComfyNumberConvert: %s', (value, outputs) => {
  expect(run('ComfyNumberConvert', { value })).toEqual(outputs);
});

it.each(['', 'cat', '1 2'])('ComfyNumberConvert refuses %j', (value) => {
  expect(() => run('ComfyNumberConvert', { value })).toThrow('is no number');
});

it('a seed keeps all its bits', () => {
  expect(run('SeedNode', { seed: 2n ** 63n + 1n })).toEqual([2n ** 63n + 1n]);
});

it.each([
  ['{"a": "x"}', 'x'],
  ['Here it is:\n```json\n{"b": {"a": 1}, "a": "y}"}\n```', 'y}'],
  ['{no} {"a": "z"}', 'z'],
  ['{"a": 1.5}', '1.5'],
  ['{"a": true}', 'True'],
  ['{"a": [1, 2]}', '[1,2]'],
  ['{"a": null}', ''],
  ['{"b": 1}', ''],
  ['[1]', ''],
  ['{', ''],
  ['', ''],
])('JsonExtractString of %j is %j', (json_string, value) => {
  expect(run('JsonExtractString', { json_string, key: 'a' })).toEqual([value]);
});

it('JsonExtractString reads no inherited member, and stops at many braces', () => {
  expect(run('JsonExtractString', { json_string: '{"b": 1}', key: 'toString' })).toEqual(['']);
  expect(run('JsonExtractString', { json_string: '{'.repeat(20_000), key: 'a' })).toEqual(['']);
});

it.each([
  ['{a}:{b}, {{c}}', { a: 2n, b: 1.5 }, '2:1.5, {c}'],
  ['{a:03d} {b:.1f}|{a:>4}', { a: 7n, b: 1.25 }, '007 1.2|   7'],
  ['{a}', { a: true }, 'True'],
  ['none', {}, 'none'],
])('StringFormat: %s', (f_string, values, text) => {
  expect(run('StringFormat', { f_string, values })).toEqual([text]);
});

it('StringFormat names a value that is missing', () => {
  expect(() => run('StringFormat', { f_string: '{b}', values: { a: 1 } })).toThrow('the input b');
});

let server: ReturnType<typeof imageServer>;
beforeEach(() => {
  server = imageServer();
});
afterEach(() => server.close());

it('CreateList lets later nodes run once for each item', async () => {
  const text = (value: string) => ({ class_type: 'PrimitiveString', inputs: { value } });
  const { entry } = await server.run({
    a: text('A'),
    b: text('B'),
    list: { class_type: 'CreateList', inputs: { 'inputs.input0': ['a', 0], 'inputs.input1': ['b', 0] } },
    shown: { class_type: 'PreviewAny', inputs: { source: ['list', 0] } },
  });
  expect(entry.outputs.shown).toEqual({ text: ['A', 'B'] });
});
