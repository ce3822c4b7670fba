/** TextEncoder and TextDecoder of code, compared with Node's. */
import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const inNode = (code: string): unknown => new Function(code)();

describe('the same as in Node', () => {
  it.each([
    "return [...new TextEncoder().encode('é€😀')]",
    "return [...new TextEncoder().encode('a\\ud800b\\0')]",
    'return [...new TextEncoder().encode()]',
    'return [...new TextEncoder().encode(null)]',
    'return new TextDecoder().decode()',
    'return new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 97, 0xef, 0xbb, 0xbf]))',
    'return new TextDecoder().decode(new Uint8Array([97, 0xff, 0xe2, 0x82]))',
    'return new TextDecoder().decode(new Uint8Array([0, 97, 98]).buffer)',
    'return new TextDecoder().decode(new DataView(new Uint8Array([97, 98, 99]).buffer, 1, 1))',
    'return new TextDecoder().decode(new Uint16Array([0x6261]).subarray(0, 1))',
    "return new TextDecoder('latin1').decode(new Uint8Array([0xe9, 0xef, 0xbb, 0xbf]))",
    "return new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, n) => (n < 96 ? n + 160 : n)))",
    "return ['UTF-8', 'utf8', 'ascii', 'iso-8859-1'].map((label) => new TextDecoder(label).encoding)",
  ])('`%s`', async (code) => expect(await sandbox.run(code)).toEqual(inNode(code)));
});

it.each(["new TextDecoder('none')", "new TextDecoder('')"])('refuses %s', async (code) => {
  expect(() => inNode(code)).toThrow();
  expect(await sandbox.run(code)).toEqual({ error: expect.stringContaining('[line 1]') });
});
