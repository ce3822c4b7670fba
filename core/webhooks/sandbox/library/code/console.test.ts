import { afterAll, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

async function linesOf(code: string): Promise<string[]> {
  const lines: string[] = [];
  expect(await sandbox.run(`${code}; return 'done'`, { lines })).toBe('done');
  return lines;
}

it.each([
  ['', ''],
  ["'a', 1, null, undefined, true", "'a' 1 null undefined true"],
  ['"it\'s\\n\\\\"', "'it\\'s\\n\\\\'"],
  ['{ a: [1, { b: 2 }] }', '{"a":[1,{"b":2}]}'],
  ['10n', '10'],
  ["Symbol('s')", 'Symbol(s)'],
  ['function named() {}, () => 1', '[Function: named] [Function: anonymous]'],
  ['new Date(0)', '"1970-01-01T00:00:00.000Z"'],
  ['(() => { const a = {}; a.self = a; return a })()', '[object Object]'],
  ['(() => { const a = Object.create(null); a.self = a; return a })()', '[object Object]'],
  ['(() => { const a = [1]; a.push(a); return a })()', '[object Array]'],
  ['[1n, 2n]', '1,2'],
  ['Object.assign(Object.create(null), { n: 1n })', '[object Object]'],
  ["{ toJSON() { throw new Error('no') } }", '[object Object]'],
])('writes %s', async (values, line) => expect(await linesOf(`console.log(${values})`)).toEqual([line]));

it('writes an error with its stack', async () => {
  const [line] = await linesOf("console.error(new RangeError('too far'))");
  expect(line).toMatch(/^RangeError: too far\n.*code\.js:1/s);
});

it.each(['log', 'info', 'warn', 'error', 'debug', 'trace', 'table', 'dir'])(
  'has the method %s',
  async (method) => {
    expect(await linesOf(`const { ${method} } = console; ${method}('x')`)).toEqual(["'x'"]);
  },
);
