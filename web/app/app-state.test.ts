import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppState, type Backend, modelNameOf } from './app-state.ts';

const ANSWERS: Record<string, unknown> = {
  '/api/tags': {
    models: [
      { name: 'embed:1', capabilities: ['embedding'] },
      { name: 'chat:1', capabilities: ['completion'] },
    ],
  },
  '/api/ps': { models: [] },
  '/api/experimental/model-recommendations': { recommendations: [{ model: 'other:1', description: '' }] },
};

function openApp(answers: Record<string, unknown> = ANSWERS) {
  const backend = {
    scope: '/',
    fetch: async (path: string) =>
      path in answers ? Response.json(answers[path]) : new Response('not found', { status: 404 }),
    devices: async () => ({}),
  } as unknown as Backend;
  return new AppState(backend);
}

beforeEach(() => {
  vi.useFakeTimers();
  const storage = new Map<string, string>();
  const stub = {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
  };
  vi.stubGlobal('localStorage', stub);
  vi.stubGlobal('sessionStorage', stub);
  vi.stubGlobal('location', new URL('http://localhost/'));
  vi.stubGlobal('fetch', async () => new Response('', { status: 404 }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('loads the models and the suggestions of the server', async () => {
  const app = openApp();
  await app.start();
  expect(app.chatModels?.map(({ name }) => name)).toEqual(['chat:1']);
  expect([app.model, app.suggestionsLoaded, app.failure]).toEqual(['chat:1', true, undefined]);
  expect(app.suggestions).toHaveLength(1);
});

it('works without suggestions, and reports models that cannot be listed', async () => {
  const app = openApp({});
  await app.start();
  expect([app.suggestions, app.suggestionsLoaded, app.failure]).toEqual([[], true, 'not found']);
});

it('asks for consent and passes the answer on', async () => {
  const app = openApp();
  const answer = app.askConsent('chat:1', 5, undefined);
  expect(app.consentRequest).toMatchObject({ model: 'chat:1', bytes: 5 });
  app.consentRequest!.answer(true);
  expect([await answer, app.consentRequest]).toEqual([true, undefined]);
});

it.each([
  ['SmolLM2-135M-Instruct.Q4_1.gguf', 'smollm2-135m-instruct:q4_1'],
  ['Qwen3-0.6B-Q4_K_M.gguf', 'qwen3-0.6b:q4_k_m'],
  ['my model (1).gguf', 'my-model-1-'],
  ['llama-f16.gguf', 'llama:f16'],
  ['plain', 'plain'],
  ['§.gguf', 'model'],
])('names the file %s %s', (file, name) => expect(modelNameOf(file)).toBe(name));

it('opens the server that the address names, and removes the name', async () => {
  vi.stubGlobal('location', new URL('http://localhost:4180/?server=computer#/images'));
  const replaceState = vi.fn();
  vi.stubGlobal('history', { state: null, replaceState });
  vi.stubGlobal('fetch', async (input: string) =>
    input === 'tabd/ports' ? Response.json({ 'image-workflows': 8188 }) : Response.json({}),
  );
  const app = openApp();
  await app.start();
  expect([app.server, app.origins]).toEqual(['computer', { 'image-workflows': 'http://localhost:8188' }]);
  expect(String(replaceState.mock.calls[0]![2])).toBe('http://localhost:4180/#/images');
});
