import { afterAll, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

it.each(['', 'a', 'ab', 'abc', '\0ÿ', 'x'.repeat(1000)])('converts %j there and back', async (text) => {
  const code = `const text = ${JSON.stringify(text)}; return [btoa(text), atob(btoa(text)) === text]`;
  expect(await sandbox.run(code)).toEqual([btoa(text), true]);
});

it.each([
  ["btoa('€')", { error: 'Invalid character [line 1]' }],
  ["btoa('a\\ud800')", { error: 'Invalid character [line 1]' }],
  ['btoa(null)', btoa('null')],
  ["atob('YQ')", 'a'],
  ["atob(' Y\\nQ==')", 'a'],
  ["atob('****')", ''],
  ["atob('')", ''],
])('%s', async (code, value) => expect(await sandbox.run(`return ${code}`)).toEqual(value));
