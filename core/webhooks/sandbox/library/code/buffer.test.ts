/** Buffer of the sandbox, compared with Node's. Texts and bytes from 256 on are converted by another way. */
import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const inNode = (code: string): unknown => new Function('Buffer', code)(Buffer);

describe('is the same as in Node for', () => {
  it.each([
    ...[255, 256, 257].flatMap((length) => [
      `return Buffer.from('é'.repeat(${length})).length`,
      `return Buffer.from('4'.repeat(${length}), 'hex').toString('hex').length`,
      `return Buffer.alloc(${length}, 'äb').toString('latin1')`,
      `return Buffer.alloc(${length}, 'äb').toString('base64url')`,
      `return Buffer.alloc(${length}, 'äb').toString('utf8', 1, ${length - 1})`,
      `return Buffer.alloc(${length}, 'a').toString('ascii', 9, 3)`,
      `return Buffer.alloc(${length}, 'a').toString('utf8', NaN, 2)`,
    ]),
    "return Buffer.from('_-8', 'base64url').toString('hex')",
    "return Buffer.from('a-b', 'BASE64').toString('hex')",
    "return Buffer.from('abc', 'hex').toString('hex')",
    "return Buffer.from('xy', 'hex').length",
    "return Buffer.from([1, 256, -1, '7', 'x']).toString('hex')",
    "return Buffer.from(new Uint16Array([1, 258])).toString('hex')",
    "return Buffer.from(new Uint8Array([1, 2, 3]).buffer, 1, 2).toString('hex')",
    'return Buffer.from(Buffer.from([1, 2])).equals(Buffer.from([1, 2]))',
    "return ['utf8', 'UTF-8', 'base64url', 'binary', 'none', undefined].map(Buffer.isEncoding)",
    "return Buffer.byteLength('€')",
    "return Buffer.concat([Buffer.from('a'), Buffer.from('b')]).toString()",
    'return JSON.stringify(Buffer.from([1, 2]))',
    "return Buffer.from('é').toLocaleString()",
    "return '' + Buffer.from('é')",
  ])('`%s`', async (code) => expect(await sandbox.run(code)).toEqual(inNode(code)));
});

it.each([
  "Buffer.from('a', 'none')",
  'Buffer.from(5)',
  'Buffer.from(null)',
  "Buffer.alloc(300).toString('none')",
])('refuses %s', async (code) => {
  expect(() => inNode(`return ${code}`)).toThrow();
  expect(await sandbox.run(`return ${code}`)).toEqual({ error: expect.stringContaining('[line 1]') });
});
