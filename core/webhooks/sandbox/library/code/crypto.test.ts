/** `require('crypto')` and Web Crypto of code, compared with Node's. */
import crypto from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const inNode = (code: string): unknown => new Function('require', 'Buffer', code)(() => crypto, Buffer);
const CRYPTO = "const nodeCrypto = require('crypto'); return nodeCrypto";

describe('digests are the same as in Node', () => {
  it.each([
    ...['md5', 'sha1', 'sha256', 'SHA512'].map((name) => `.createHash('${name}').update('é').digest('hex')`),
    ".createHash('sha256').digest('base64')",
    ".createHash('sha256').update('e9', 'hex').digest('hex')",
    ".createHash('sha256').update('a').update(Buffer.from('b')).digest('base64url')",
    ".createHash('sha256').update(new Uint8Array([1, 2, 3]).subarray(1)).digest('latin1')",
    ".createHash('md5').update('').digest().length",
    ".createHmac('sha256', '').update('x').digest('hex')",
    ".createHmac('sha1', Buffer.alloc(65, 1)).update('x'.repeat(1000)).digest('hex')",
    ".timingSafeEqual(Buffer.from('a'), Buffer.from('a'))",
    ".timingSafeEqual(Buffer.from('a'), Buffer.from('b'))",
    '.timingSafeEqual(Buffer.alloc(0), Buffer.alloc(0))',
    '.randomInt(5, 6)',
    '.randomBytes(0).length',
  ])('%s', async (code) => expect(await sandbox.run(CRYPTO + code)).toEqual(inNode(CRYPTO + code)));

  it('also when the caller changes the bytes after `update`', async () => {
    const code = `const bytes = Buffer.from('a'); const hash = require('crypto').createHash('md5').update(bytes);
      bytes[0] = 0; return hash.digest('hex')`;
    expect(await sandbox.run(code)).toBe(inNode(code));
  });
});

it.each([
  [".createHash('none').update('a').digest()", 'Digest method not supported: none'],
  [".createHmac('none', 'a').digest()", 'Digest method not supported: none'],
  [".createHash('md5').update(5)", 'The "data" argument must be'],
  [".createHmac('md5', null)", 'The "data" argument must be'],
  ['.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2))', 'must have the same byte length'],
])('refuses %s', async (code, message) => {
  expect(() => inNode(CRYPTO + code)).toThrow();
  expect(await sandbox.run(CRYPTO + code)).toEqual({ error: expect.stringContaining(message) });
});

it.each(["update('b')", 'digest()'])('refuses %s after the digest', async (call) => {
  const code = `const hash = require('crypto').createHash('md5').update('a'); hash.digest(); hash.${call}`;
  expect(await sandbox.run(code)).toEqual({ error: expect.stringContaining('Digest already called') });
});

it('draws random values within their bounds', async () => {
  const code = `const { randomInt, randomUUID } = require('node:crypto');
    const drawn = Array.from({ length: 50 }, () => randomInt(-1, 2));
    const words = crypto.getRandomValues(new Uint32Array(8));
    return { inBounds: drawn.every((n) => Number.isInteger(n) && n >= -1 && n < 2), different: new Set(drawn).size > 1,
      uuid: randomUUID(), words: new Set(words).size }`;
  expect(await sandbox.run(code)).toEqual({
    inBounds: true,
    different: true,
    uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    words: 8,
  });
});

describe('Web Crypto', () => {
  it('digests a part of a buffer, and takes lists of usages', async () => {
    const code = `const bytes = new Uint8Array([0, 97, 0]).subarray(1, 2);
      const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
      return [Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex'),
        Buffer.from(await crypto.subtle.exportKey('raw', key)).toString()]`;
    const digest = crypto.createHash('sha256').update('a').digest('hex');
    expect(await sandbox.run(code)).toEqual([digest, 'a']);
  });

  it.each([
    "await crypto.subtle.digest('NONE', new Uint8Array(1))",
    "await crypto.subtle.sign('HMAC', { __key: 99 }, new Uint8Array(1))",
    "await crypto.subtle.importKey('raw', new Uint8Array(0), { name: 'AES-CBC' }, false, ['encrypt'])",
    'await crypto.subtle.none()',
  ])('rejects `%s`', async (code) => {
    expect(await sandbox.run(code)).toEqual({ error: expect.stringMatching(/./) });
    expect(await sandbox.run(`try { ${code} } catch (error) { return error instanceof Error }`)).toBe(true);
  });
});
