import { expect, test } from 'vitest';
import { Consent } from '#core/local-models/registry/pull/consent.ts';
import { installModels } from './required-models.ts';
import type { ModelError, ModelProgress } from './types.ts';

const lines = (...all: object[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Installs `models` from a server that has only the model `here`. `pulls` are its responses to pulls of the others. */
function serving(pulls: Record<string, string>, models: string[]) {
  const requests: string[] = [];
  const standings: string[] = [];
  const progress: ModelProgress[] = [];
  const left = new AbortController();
  const done = installModels(
    {
      prefix: '/ai',
      models,
      async fetch(path, init) {
        init?.signal?.throwIfAborted();
        const { model } = JSON.parse(String(init?.body)) as { model: string };
        requests.push(`${path} ${model}`);
        if (path === '/ai/api/show') return new Response('{}', { status: model === 'here' ? 200 : 404 });
        return new Response(pulls[model]);
      },
      onProgress: (each) => void progress.push(each),
      onStanding: (model, { phase, reason }) =>
        void standings.push(`${model} ${phase}${reason ? `: ${reason}` : ''}`),
    },
    left.signal,
  );
  return { requests, standings, progress, done, left };
}

test('pulls missing models only, with the progress of all their files', async () => {
  const pull = lines(
    { status: 'pulling manifest' },
    { status: 'pulling a', digest: 'a', total: 10 },
    { status: 'pulling a', digest: 'a', total: 10, completed: 10 },
    { status: 'pulling b', digest: 'b', total: 30, completed: 5 },
    { status: 'success' },
  );
  const { requests, standings, progress, done } = serving({ new: pull }, ['here', 'new']);
  await done;
  expect(requests).toEqual(['/ai/api/show here', '/ai/api/show new', '/ai/api/pull new']);
  expect(standings).toEqual(['here checking', 'here ready', 'new checking', 'new downloading', 'new ready']);
  expect(progress.map(({ completed, total }) => [completed, total])).toEqual([
    [0, 0],
    [0, 10],
    [10, 10],
    [15, 40],
    [15, 40],
  ]);
});

test('reports a failed model, and pulls the others', async () => {
  const { standings, done } = serving(
    { gone: lines({ error: 'not found' }), new: lines({ status: 'success' }) },
    ['gone', 'new'],
  );
  await expect(done).rejects.toMatchObject({ name: 'ModelError', code: 'failed', model: 'gone' });
  expect(standings).toContain('gone failed: not found');
  expect(standings).toContain('new ready');
});

test('recognizes a declined download by the error of the registry', async () => {
  const host = { setting: () => '0', consent: async () => false };
  const declined = await new Consent(host, 'large:1b', undefined)
    .ask(1, new AbortController().signal)
    .catch((error: Error) => error.message);
  const { done } = serving({ large: lines({ error: declined as string }) }, ['large']);
  const error = (await done.catch((cause: unknown) => cause)) as ModelError;
  expect([error.code, error.model]).toEqual(['declined', 'large']);
});

test('fails when the stream ends without success', async () => {
  const { done } = serving({ new: lines({ status: 'pulling manifest' }) }, ['new']);
  await expect(done).rejects.toThrow('broke off');
});

test('rejects with the reason of the signal', async () => {
  const { done, left } = serving({}, ['new']);
  left.abort(new Error('left'));
  await expect(done).rejects.toThrow('left');
});
