import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BridgeKey } from './bridge-key.ts';

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubGlobal('location', { origin: 'https://host.example:4180' });
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  });
});
afterEach(() => void vi.unstubAllGlobals());

it('registers a new key by the token, and reconnects with the key alone', () => {
  const first = new BridgeKey('/').create('secret');
  expect(first.url).toBe('wss://host.example:4180/tabd/bridge');
  expect(first.protocols).toEqual([
    'tabd.bridge.1',
    expect.stringMatching(/^key\.[0-9a-f]{32}$/),
    'token.secret',
    expect.stringMatching(/^browser\.[0-9a-f]{32}$/),
  ]);
  expect(new BridgeKey('/').link).toEqual({ url: first.url, protocols: first.protocols.slice(0, 2) });
});

it('makes a different key each time', () => {
  const key = new BridgeKey('/');
  expect(key.create('t').protocols[1]).not.toBe(key.create('t').protocols[1]);
});

it('keeps the id of the browser when the key is forgotten', () => {
  const key = new BridgeKey('/');
  const browser = key.create('t').protocols[3];
  key.forget();
  expect(key.create('t').protocols[3]).toBe(browser);
});

it('has no link before a key exists, after it is forgotten, and for another scope', () => {
  const key = new BridgeKey('/');
  expect(key.link).toBeUndefined();
  key.create('t');
  expect(new BridgeKey('/other/').link).toBeUndefined();
  expect(key.forget()).toBeUndefined();
  expect(key.link).toBeUndefined();
});
