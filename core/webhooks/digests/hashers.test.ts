import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { toHex } from '#core/base';
import { HASHERS } from './hashers.ts';

it.each(Object.keys(HASHERS))('%s has the digests of Node', async (name) => {
  const hasher = await HASHERS[name]!();
  const expected = createHash(name.toLowerCase()).update('grüß').digest('hex');
  expect(toHex(hasher.init().update('grüß').digest('binary'))).toBe(expected);
});

it('toHex pads each byte', () => {
  expect(toHex(Uint8Array.of(0, 1, 16, 255))).toBe('000110ff');
  expect(toHex(new Uint8Array())).toBe('');
});
