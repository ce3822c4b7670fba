import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patchWebSocket } from './websocket.ts';

class Native {
  constructor(
    readonly url: string | URL,
    readonly protocols?: string | string[],
  ) {}
}
const connect = vi.fn((url: string | URL) => ({ by: 'tabd', url: String(url) }) as unknown as WebSocket);

beforeEach(() => {
  vi.stubGlobal('WebSocket', Native);
  vi.stubGlobal('document', { baseURI: 'https://site.example/app/' });
  vi.stubGlobal('location', { host: 'site.example' });
  connect.mockClear();
});
afterEach(() => void vi.unstubAllGlobals());

const all = ['local-models', 'image-workflows', 'webhooks'] as const;

test.each([
  ['wss://site.example/ws', undefined, true],
  ['wss://site.example/own', undefined, false],
  ['wss://site.example/ai/ws', { apis: all, prefix: '/ai' }, true],
  ['wss://site.example/ws', { apis: all, prefix: '/ai' }, false],
  ['wss://elsewhere.example/ws', { apis: all, intercept: true as const }, false],
  // Clients that connect to the port of a local server.
  ['ws://127.0.0.1:8188/ws?clientId=1', { apis: all, intercept: true as const }, true],
  ['ws://localhost:8188/ws', { apis: all, prefix: '/ai', intercept: ['http://localhost:8188'] }, true],
  ['ws://127.0.0.1:8188/ws', { apis: all, intercept: ['http://localhost:8188'] }, false],
  ['ws://localhost:8188/ws', { apis: all }, false],
  ['ws://localhost:8188/ws', { apis: ['local-models'] as const, intercept: true as const }, false],
])('%s with %j: by tabd %s', (url, options, byTabd) => {
  const undo = patchWebSocket({ connect }, options);
  const socket = new WebSocket(url, ['chat']);
  expect(connect.mock.calls).toEqual(byTabd ? [[new URL(url), ['chat']]] : []);
  expect(socket instanceof Native).toBe(!byTabd);
  undo();
  expect(globalThis.WebSocket).toBe(Native);
});
