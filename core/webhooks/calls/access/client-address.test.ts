import { expect, it } from 'vitest';
import { clientAddress, isListed } from './client-address.ts';

it.each([
  ['9.9.9.9', 0, '1.1.1.1'],
  [null, 1, '1.1.1.1'],
  ['', 1, '1.1.1.1'],
  ['9.9.9.9', 1, '9.9.9.9'],
  ['8.8.8.8, 9.9.9.9', 1, '9.9.9.9'],
  ['8.8.8.8,9.9.9.9', 2, '8.8.8.8'],
  ['8.8.8.8, 9.9.9.9', 5, '8.8.8.8'],
])('X-Forwarded-For "%s" behind %i proxies: %s', (forwardedFor, hops, expected) => {
  expect(clientAddress('1.1.1.1', forwardedFor, hops)).toBe(expected);
});

it.each([
  ['1.2.3.4', '', true],
  ['1.2.3.4', ' , ', true],
  ['no address', '', true],
  ['no address', '0.0.0.0/0', false],
  ['1.2.3.4', '1.2.3.4', true],
  ['1.2.3.4', '1.2.3.5', false],
  ['1.2.3.4', 'odd, 1.2.3.4', true],
  ['1.2.3.4', '1.2.0.0/16', true],
  ['1.3.3.4', '1.2.0.0/16', false],
  ['1.2.3.4', '1.2.0.0/33', false],
  ['[2001:db8::1]', '2001:db8::/32', true],
  ['fe80::1%eth0', 'fe80::1', true],
  ['::ffff:1.2.3.4', '1.2.3.4', true],
  ['1.2.3.4', '::ffff:1.2.3.4', true],
  ['1.2.3.4', '::/0', false],
  ['127.1', '127.0.0.1', false],
])('%s in "%s": %s', (address, list, expected) => {
  expect(isListed(address, list)).toBe(expected);
});
