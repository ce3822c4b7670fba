import { describe, expect, test } from 'vitest';
import { type LoadOptions, ModelCorrupt, ModelUnsupported, OutOfMemory } from '#core/host';
import { settle, TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { installed } from '#test/support/local-models/fake-text-service.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { loadModel } from './load-model.ts';

const options: LoadOptions = { contextLength: 4096, batchSize: 512, gpuLayers: -1, threads: 0 };
const model = installed('m');
const never = new AbortController().signal;

/** Loads with engines whose loads fail with these errors, one after the other. */
function setUp(engines: (Error | undefined)[][], rooms: boolean[] = [], extra: ScriptedOptions = {}) {
  const scripted = engines.map((failures, index) => {
    const rest = [...failures];
    return new ScriptedEngine({ name: `engine ${index}`, loadFailure: () => rest.shift(), ...extra });
  });
  const clock = new TestClock();
  const host = createTestHost({ engines: scripted, clock });
  const attempts: number[] = [];
  const load = (signal = never, target = model) =>
    loadModel(
      host,
      target,
      options,
      'm:latest',
      async (attempt) => {
        attempts.push(attempt);
        return rooms.shift() ?? false;
      },
      signal,
    );
  return { load, host, clock, scripted, attempts };
}

describe('loadModel', () => {
  test('returns the model with no holders, and logs its engine and device', async () => {
    const { load, host, scripted } = setUp([[]]);
    expect(await load()).toEqual({
      installed: model,
      model: scripted[0]!.models[0],
      options,
      engine: 'engine 0',
      holders: 0,
      expiresAt: Number.POSITIVE_INFINITY,
    });
    expect(host.logged).toEqual([
      {
        level: 'info',
        message: 'model loaded',
        fields: {
          model: 'm:latest',
          engine: 'engine 0',
          device: 'CPU, 1 thread',
          parallel: 1,
          milliseconds: 0,
        },
      },
    ]);
  });

  test('logs the note of the device', async () => {
    const device = { kind: 'cpu' as const, name: 'CPU', note: 'no adapter' };
    const { load, host } = setUp([[]], [], { device });
    await load();
    expect(host.logged[0]!.fields).toMatchObject({ device: 'CPU', note: 'no adapter' });
  });

  test('needs an engine for the format', async () => {
    const { load } = setUp([[]]);
    await expect(load(never, installed('m', { format: 'mlc' }))).rejects.toMatchObject({
      status: 500,
      message: 'unable to load model "m:latest": nothing here runs the format mlc; pull another variant',
    });
  });

  test('tries the next engine only for an unsupported model', async () => {
    const unsupported = new ModelUnsupported('no');
    const first = setUp([[unsupported], []]);
    expect((await first.load()).engine).toBe('engine 1');
    expect(first.attempts).toEqual([0, 0]);
    const none = setUp([[unsupported], [unsupported]]);
    await expect(none.load()).rejects.toBe(unsupported);
    const corrupt = setUp([[new ModelCorrupt('cut')], []]);
    await expect(corrupt.load()).rejects.toThrow('cut');
    expect(corrupt.scripted[1]!.loads).toEqual([]);
  });

  test('tries an engine that is out of memory again as long as memory is freed', async () => {
    const full = new OutOfMemory('full');
    const lucky = setUp([[full, full]], [false, true, true]);
    await lucky.load();
    expect(lucky.attempts).toEqual([0, 1, 2]);
    const unlucky = setUp([[full, full]], [true, true, false]);
    await expect(unlucky.load()).rejects.toBe(full);
    expect(unlucky.attempts).toEqual([0, 1, 2]);
    expect(unlucky.scripted[0]!.loads).toHaveLength(2);
  });

  test('tries no other engine after memory ran out', async () => {
    const { load, scripted } = setUp([[new OutOfMemory('full')], []]);
    await expect(load()).rejects.toThrow('full');
    expect(scripted[1]!.loads).toEqual([]);
  });

  test('stops when the request is canceled', async () => {
    const client = new AbortController();
    const { load, scripted } = setUp([[new ModelUnsupported('no')], []], [], { loadDelay: 1000 });
    const loading = load(client.signal);
    await settle();
    client.abort(new Error('canceled'));
    await expect(loading).rejects.toThrow('canceled');
    expect(scripted[1]!.loads).toEqual([]);
    await expect(setUp([[]]).load(AbortSignal.abort(new Error('early')))).rejects.toThrow('early');
  });
});

describe('OLLAMA_LOAD_TIMEOUT', () => {
  test('counts from the last progress', async () => {
    const { load, host, clock, scripted } = setUp([[]]);
    host.settings.set('OLLAMA_LOAD_TIMEOUT', '10s');
    let progress = (_fraction: number) => {};
    scripted[0]!.load = (_files, _options, signal, onProgress) => {
      progress = onProgress;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const loading = expect(load()).rejects.toMatchObject({
      status: 500,
      message: 'timed out waiting for engine 0 to start - progress 0.50',
    });
    await clock.advance(9_999);
    progress(0.5);
    await clock.advance(9_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    await loading;
    expect(clock.pending).toBe(0);
  });

  test('0 waits without a limit', async () => {
    const { load, host, clock, scripted } = setUp([[]]);
    host.settings.set('OLLAMA_LOAD_TIMEOUT', '0');
    scripted[0]!.load = () => new Promise(() => {});
    void load();
    await settle();
    expect(clock.pending).toBe(0);
  });
});
