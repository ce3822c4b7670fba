import { expect, it } from 'vitest';
import type { ProcessInfo } from './presence.ts';
import { requestTarget, workerFor } from './request-target.ts';

it.each([
  ['webhooks', 'POST', '/webhook/orders', 'queue'],
  ['webhooks', 'GET', '/WEBHOOK/a/b', 'queue'],
  ['webhooks', 'GET', '/form/x', 'queue'],
  ['webhooks', 'POST', '/webhook-test/orders', 'leader'],
  ['webhooks', 'GET', '/webhook-waiting/7', 'leader'],
  ['webhooks', 'GET', '/api/v1/workflows', 'leader'],
  ['image-workflows', 'POST', '/prompt', 'leader'],
  ['local-models', 'POST', '/api/chat', 'model'],
  ['local-models', 'POST', '/v1/chat/completions', 'model'],
  ['local-models', 'GET', '/api/ps', 'all'],
  ['local-models', 'HEAD', '/api/ps', 'any'],
  ['local-models', 'GET', '/api/tags', 'any'],
  ['local-models', 'POST', '/api/show', 'any'],
  ['local-models', 'POST', '/api/pull', 'leader'],
  ['local-models', 'DELETE', '/api/delete', 'leader'],
] as const)('%s %s %s goes to: %s', (api, method, path, kind) => {
  expect(requestTarget(api, method, path, ['webhook', 'form']).kind).toBe(kind);
});

const worker = (process: string, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  ...{
    process,
    role: 'worker',
    version: '',
    apis: ['local-models'],
    loaded: [],
    running: 0,
    uptime: 0,
    leads: {},
  },
  ...more,
});

it('prefers the worker that has the model, until another one is much less busy', () => {
  const choose = (running: number, model?: string) =>
    workerFor([worker('warm', { loaded: ['a:latest'], running }), worker('idle')], model)?.process;
  expect([choose(3, 'A'), choose(3, 'a:latest'), choose(4, 'a'), choose(3, 'b'), choose(1)]).toEqual([
    'warm',
    'warm',
    'idle',
    'idle',
    'idle',
  ]);
});

it('prefers the worker that keeps a prefix of the prompt, unless it is busier by more than one request', () => {
  const choose = (running: number, keeper?: string, loaded = ['a']) =>
    workerFor([worker('one', { loaded: ['a'] }), worker('two', { loaded, running })], 'a', keeper)?.process;
  expect([choose(0), choose(0, 'two'), choose(1, 'two'), choose(2, 'two')]).toEqual([
    'one',
    'two',
    'two',
    'one',
  ]);
  expect([choose(0, 'ended'), choose(0, 'two', [])]).toEqual(['one', 'one']);
});

it('uses a worker for its models only', () => {
  const workers = [worker('one', { models: ['a'] }), worker('two', { models: ['b:7b'], running: 9 })];
  expect(workerFor(workers, 'b:7b')?.process).toBe('two');
  expect(workerFor(workers, 'c')).toBeUndefined();
  expect(workerFor([], 'a')).toBeUndefined();
});
