import { expect, it } from 'vitest';
import { isLoopbackHost, isPrivateAddress, isPrivateName } from './private-address.ts';

it.each([
  ['127.0.0.1', true, true],
  ['[::1]', true, true],
  ['::ffff:127.0.0.1', true, true],
  ['10.0.0.1', true, false],
  ['169.254.169.254', true, false],
  ['0.0.0.0', true, false],
  ['[64:ff9b::7f00:1]', true, false],
  ['[64:ff9b::808:808]', false, false],
  ['8.8.8.8', false, false],
  ['[2606:4700::1]', false, false],
  ['example.org', false, false],
])('the address %s: private %s, loopback %s', (host, isPrivate, loopback) => {
  expect([isPrivateAddress(host), isLoopbackHost(host)]).toEqual([isPrivate, loopback]);
});

it.each([
  ['localhost', true],
  ['a.LOCALHOST.', true],
  ['printer.local', true],
  ['db.internal', true],
  ['router.home.arpa', true],
  ['localhost.example.org', false],
  ['mylocal', false],
])('the name %s: private %s', (name, isPrivate) => {
  expect(isPrivateName(name)).toBe(isPrivate);
});

it('localhost is this computer, its subdomains need not be', () => {
  expect(isLoopbackHost('LocalHost.')).toBe(true);
  expect(isLoopbackHost('a.localhost')).toBe(false);
});
