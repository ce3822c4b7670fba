import { expect, it } from 'vitest';
import { isIpAddress, isLoopbackOrPrivate, withoutPort } from './host-name.ts';

it.each([
  ['localhost:11434', 'localhost'],
  ['localhost:', 'localhost'],
  ['localhost', 'localhost'],
  ['[::1]:11434', '::1'],
  ['[fe80::1]', 'fe80::1'],
  ['', ''],
  ['a.b:80x', 'a.b:80x'],
])('%j without its port is %j', (host, name) => expect(withoutPort(host)).toBe(name));

it.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['1.2.3', false],
  ['1.2.3.4.5', false],
  ['1234.1.1.1', false],
  ['a1.2.3.4', false],
  ['example.com', false],
])('%s is an IP address: %s', (name, verdict) => expect(isIpAddress(name)).toBe(verdict));

const machine = { hostname: 'Box', addresses: () => ['203.0.113.7', '2001:db8::7'] };

it.each([
  '',
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'printer.local',
  'x.internal',
  'box',
  '127.0.0.1',
  '127.255.1.2',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '0.0.0.0',
  '::',
  '::1',
  'fc00::1',
  'FD12::1',
  '203.0.113.7',
  '2001:db8::7',
])('%j means this computer or its network', (name) => {
  expect(isLoopbackOrPrivate(name, machine)).toBe(true);
});

it.each([
  'example.com',
  'localhost.example.com',
  'notlocalhost',
  'internal',
  '8.8.8.8',
  '0.0.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '192.16.0.1',
  '11.0.0.1',
  '128.0.0.1',
  '::2',
  'fe80::1',
  '2001:db8::8',
  '203.0.113.8',
])('%j does not', (name) => expect(isLoopbackOrPrivate(name, machine)).toBe(false));

it('without facts about the machine, its own names are unknown', () => {
  expect(isLoopbackOrPrivate('box')).toBe(false);
  expect(isLoopbackOrPrivate('203.0.113.7')).toBe(false);
});
