import { describe, expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { settle } from '#test/support/host/test-clock.ts';
import { fakeRegistry } from '#test/support/local-models/fake-registry.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import {
  chatRequest,
  events,
  finished,
  generateRequest,
  models,
  setUp,
} from '#test/support/local-models/text-runs.ts';
import type { ChatRequest } from '../runs/requests.ts';
import { createTextService } from '../service/create-text-service.ts';

describe('loading and unloading', () => {
  test('by requests without messages', async () => {
    const { service, engine } = setUp();
    expect(await service.chat(chatRequest({ messages: [] }), neverAborted)).toEqual({ kind: 'loaded' });
    expect(service.loaded()).toMatchObject([{ name: 'm:latest', contextLength: 4096, engine: 'scripted' }]);
    expect(await service.chat(chatRequest({ messages: [], keepAlive: 0 }), neverAborted)).toEqual({
      kind: 'unloaded',
    });
    expect(service.loaded()).toEqual([]);
    expect(engine.alive).toEqual([]);
    expect(await service.generate(generateRequest({ prompt: '', keepAlive: 0 }), neverAborted)).toEqual({
      kind: 'unloaded',
    });
  });

  test('with keep_alive 0 happens before the last event', async () => {
    const { service } = setUp();
    const run = await service.chat(chatRequest({ keepAlive: 0 }), neverAborted);
    if (run.kind !== 'events') throw new Error(run.kind);
    for await (const event of run.events) {
      expect(service.loaded()).toHaveLength(event.type === 'done' ? 0 : 1);
    }
  });

  test('resolves `ready` when the prompt is accepted, without a reader', async () => {
    const { service, engine } = setUp(undefined, { loadDelay: 20 });
    const run = await service.chat(chatRequest(), neverAborted);
    if (run.kind !== 'events') throw new Error(run.kind);
    expect(service.loaded()).toEqual([]);
    await run.ready;
    expect(engine.calls).toHaveLength(1);
    expect(await finished(run)).toMatchObject({ content: 'Hello there, friend.' });
  });

  test('that fails rejects `ready` and the events', async () => {
    const { service } = setUp(undefined, { loadFailure: () => new Error('broken') });
    const run = await service.chat(chatRequest(), neverAborted);
    if (run.kind !== 'events') throw new Error(run.kind);
    await expect(run.ready).rejects.toThrow('broken');
    await expect(events(run)).rejects.toThrow('broken');
    await expect(service.chat(chatRequest({ messages: [] }), neverAborted)).rejects.toThrow('broken');
  });
});

describe('a pinned model', () => {
  const forever = Number.POSITIVE_INFINITY;

  test('is loaded again after a restart, with its options', async () => {
    const { service, host } = setUp();
    await finished(
      await service.chat(chatRequest({ keepAlive: forever, options: { num_ctx: 512 } }), neverAborted),
    );
    await service.chat(chatRequest({ model: 'thinks', messages: [], keepAlive: 60_000 }), neverAborted);
    await service.close();

    const again = createTextService(host, fakeRegistry(models));
    expect(again.loaded()).toEqual([]);
    await again.resume(neverAborted);
    expect(again.loaded()).toMatchObject([{ name: 'm:latest', contextLength: 512, expiresAt: forever }]);
  });

  test.each<[string, Partial<ChatRequest>]>([
    ['unloaded', { messages: [], keepAlive: 0 }],
    ['used with a finite keep-alive', { messages: [], keepAlive: 60_000 }],
  ])('is not loaded again after it was %s', async (_, then) => {
    const { service, host } = setUp();
    await service.chat(chatRequest({ messages: [], keepAlive: forever }), neverAborted);
    await service.chat(chatRequest(then), neverAborted);
    await settle();
    await service.close();
    const again = createTextService(host, fakeRegistry(models));
    await again.resume(neverAborted);
    expect(again.loaded()).toEqual([]);
  });

  test('that is deleted or broken does not keep others from loading', async () => {
    const { service, host } = setUp();
    for (const model of ['m', 'thinks', 'calls']) {
      await service.chat(chatRequest({ model, messages: [], keepAlive: forever }), neverAborted);
    }
    await service.close();
    const broken = new ScriptedEngine({
      loadFailure: (files) => (files[0]!.digest.startsWith('sha256:6d') ? new Error('broken') : undefined),
    });
    const later = { ...host, languageEngines: [broken] };
    const again = createTextService(later, fakeRegistry(models.filter(({ name }) => name !== 'thinks')));
    await again.resume(neverAborted);
    expect(again.loaded().map(({ name }) => name)).toEqual(['calls:latest']);
    expect(host.logged.some(({ message }) => message.includes('could not be loaded again'))).toBe(true);
  });
});

describe('a client that disconnects', () => {
  const slow: ScriptedOptions = {
    script: () => Array.from({ length: 500 }, (_, n) => ` ${n}`),
    tokenDelay: 2,
  };

  test('stops the engine, and the next request is served', async () => {
    const { service, engine } = setUp(undefined, slow);
    const client = new AbortController();
    const run = await service.chat(chatRequest(), client.signal);
    if (run.kind !== 'events') throw new Error(run.kind);
    const reading = (async () => {
      for await (const event of run.events)
        if (event.type === 'text' && event.content === ' 3') client.abort();
    })();
    await expect(reading).rejects.toMatchObject({ status: 499, message: 'request canceled' });
    expect(engine.calls[0]?.sent).toBeLessThan(8);
    expect(
      await finished(await service.chat(chatRequest({ options: { num_predict: 2 } }), neverAborted)),
    ).toMatchObject({
      content: ' 0 1',
    });
  });

  test('stops the engine by ending the iteration', async () => {
    const { service, engine } = setUp(undefined, slow);
    const run = await service.chat(chatRequest(), neverAborted);
    if (run.kind !== 'events') throw new Error(run.kind);
    for await (const event of run.events) if (event.type === 'text') break;
    await settle();
    expect(engine.calls[0]?.outcome).not.toBe('running');
    expect(
      await finished(await service.chat(chatRequest({ options: { num_predict: 1 } }), neverAborted)),
    ).toMatchObject({
      content: ' 0',
    });
  });

  test('stops the engine without reading any event', async () => {
    const { service, engine } = setUp(undefined, slow);
    const client = new AbortController();
    const run = await service.chat(chatRequest(), client.signal);
    if (run.kind !== 'events') throw new Error(run.kind);
    await run.ready;
    client.abort();
    await settle();
    expect(engine.calls[0]?.outcome).not.toBe('running');
    await expect(service.chat(chatRequest({ messages: [] }), neverAborted)).resolves.toEqual({
      kind: 'loaded',
    });
  });

  test('while its request waits leaves the queue', async () => {
    const { service, engine } = setUp(undefined, slow);
    const first = await service.chat(chatRequest(), neverAborted);
    const client = new AbortController();
    const second = await service.chat(chatRequest(), client.signal);
    client.abort();
    await expect(events(second)).rejects.toMatchObject({ status: 499 });
    expect(engine.calls).toHaveLength(1);
    if (first.kind === 'events') await first.events[Symbol.asyncIterator]().return?.();
  });
});

test('an engine that dies fails its own request, and the next one loads the model again', async () => {
  const { service, engine } = setUp(undefined, {
    script: () => Array.from({ length: 50 }, (_, n) => ` ${n}`),
    tokenDelay: 2,
  });
  const dying = await service.chat(chatRequest(), neverAborted);
  const waiting = await service.chat(chatRequest({ options: { num_predict: 2 } }), neverAborted);
  if (dying.kind !== 'events') throw new Error(dying.kind);
  await dying.ready;
  engine.models[0]!.crash();
  await expect(events(dying)).rejects.toMatchObject({
    status: 500,
    message:
      'model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details',
  });
  expect(await finished(waiting)).toMatchObject({ content: ' 0 1', done: { reason: 'length' } });
  expect(engine.loads).toHaveLength(2);
});
