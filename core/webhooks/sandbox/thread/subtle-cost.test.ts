import { expect, it } from 'vitest';
import { checkSubtleCost } from './subtle-cost.ts';

const key = { type: 'secret' };
const pbkdf2 = (iterations: unknown, hash: unknown = 'SHA-256') => ({ name: 'PBKDF2', hash, iterations });
const rsa = (modulusLength: number, ...publicExponent: number[]) => ({
  name: 'RSA-OAEP',
  modulusLength,
  publicExponent: new Uint8Array(publicExponent),
});

it.each([
  ['the iterations that OWASP recommends', [pbkdf2(600_000), key, 256]],
  ['a key of one block of a longer hash', [pbkdf2(1_300_000, { name: 'SHA-512' }), key, 512]],
  ['a derived key', [pbkdf2(600_000), key, { name: 'AES-GCM', length: 256 }, true, ['encrypt']]],
  ['RSA', [rsa(4096, 1, 0, 1), true, ['encrypt']]],
  ['bytes of any length', ['SHA-256', new Uint8Array(1e6)]],
])('allows %s', (_, args) => expect(() => checkSubtleCost(args)).not.toThrow());

it.each([
  ['too many iterations', [pbkdf2(2 ** 31), key, 256], 'iterations'],
  ['iterations that are no number', [pbkdf2('many'), key, 256], 'iterations'],
  ['many blocks', [pbkdf2(600_000), key, 65_536], 'iterations'],
  ['many blocks of a derived key', [pbkdf2(600_000), key, { name: 'HMAC', length: 65_536 }], 'iterations'],
  ['a long key', [{ name: 'HMAC', hash: 'SHA-256', length: 2 ** 31 }, true, ['sign']], '65536 bits'],
  ['a large modulus', [rsa(8192, 1, 0, 1), true, ['encrypt']], '4096 bits'],
  ['an exponent of one', [rsa(2048, 1), true, ['encrypt']], 'public exponent'],
  ['an exponent of many bytes', [rsa(2048, ...new Array(99).fill(255)), true, []], 'public exponent'],
])('refuses %s', (_, args, message) => expect(() => checkSubtleCost(args)).toThrow(message));
