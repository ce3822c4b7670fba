import { expect, test, vi } from 'vitest';
import type { TensorSession } from '#core/host';
import { createTestHost, type TestHost } from '#test/support/host/test-host.ts';
import { graphsOf } from './graph-registry.ts';

const never = new AbortController().signal;

interface Opened {
  path: string;
  signal: AbortSignal;
  finish(): void;
  fail(error: Error): void;
}

/** A host with two graphs, whose openings the test finishes. */
async function setUp(more: Partial<TestHost> = {}) {
  const opened: Opened[] = [];
  const disposed: string[] = [];
  const host: TestHost = {
    ...createTestHost({}),
    tensorEngine: {
      name: 'scripted',
      open: (files, _options, signal) =>
        new Promise((resolve, reject) => {
          const { path } = files[0] as { path: string };
          signal.addEventListener('abort', () => reject(signal.reason));
          const session = {
            gone: new Promise<Error>(() => {}),
            dispose: async () => void disposed.push(path),
          } as unknown as TensorSession;
          opened.push({ path, signal, finish: () => resolve(session), fail: reject });
        }),
    },
    ...more,
  };
  for (const name of ['unet', 'vae']) await host.files.write(`m/${name}/model.onnx`, new Uint8Array(8));
  const graphs = graphsOf(host);
  const openings = (count: number) => vi.waitFor(() => expect(opened).toHaveLength(count));
  return { unet: graphs.at('m/unet'), vae: graphs.at('m/vae'), opened, disposed, openings };
}

test('a session uses the opening that `prepare` began; prepared graphs open one after another', async () => {
  const { unet, vae, opened, openings } = await setUp();
  unet.prepare(never);
  vae.prepare(never);
  await openings(1);
  const used = unet.session(never);
  opened[0]!.finish();
  await used;
  await openings(2);
  expect(opened.map(({ path }) => path)).toEqual(['m/unet/model.onnx', 'm/vae/model.onnx']);
});

test('a failed `prepare` is silent; the next session opens the graph again and rejects with its own failure', async () => {
  const { unet, opened, openings } = await setUp();
  unet.prepare(never);
  await openings(1);
  opened[0]!.fail(new Error('broken'));
  await new Promise((resolve) => setTimeout(resolve));
  const used = unet.session(never);
  await openings(2);
  opened[1]!.fail(new Error('broken still'));
  await expect(used).rejects.toThrow('broken still');
});

test('an opening is aborted when the last caller that waits for it leaves', async () => {
  const { unet, opened, openings } = await setUp();
  const [prompt, other] = [new AbortController(), new AbortController()];
  unet.prepare(prompt.signal);
  await openings(1);
  const used = unet.session(other.signal);
  prompt.abort();
  await new Promise((resolve) => setTimeout(resolve));
  expect(opened[0]!.signal.aborted).toBe(false);
  other.abort(new Error('interrupted'));
  await expect(used).rejects.toThrow('interrupted');
  expect(opened[0]!.signal.aborted).toBe(true);
  const again = unet.session(never);
  await openings(2);
  opened[1]!.finish();
  await again;
});

test('an adapter on the graph cancels its preparation', async () => {
  const { unet, opened, openings } = await setUp();
  unet.prepare(never);
  await openings(1);
  unet.withChange({ key: 'adapter 1', weights: [] });
  await vi.waitFor(() => expect(opened[0]!.signal.aborted).toBe(true));
});

test('cancelPreparing ends the preparation', async () => {
  const { unet, opened, openings } = await setUp();
  unet.prepare(never);
  await openings(1);
  unet.cancelPreparing();
  await vi.waitFor(() => expect(opened[0]!.signal.aborted).toBe(true));
});

test('unloading ends preparations that run or wait', async () => {
  const { unet, vae, opened, disposed, openings } = await setUp();
  unet.prepare(never);
  vae.prepare(never);
  await openings(1);
  await Promise.all([unet.unload(), vae.unload()]);
  expect(opened[0]!.signal.aborted).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect([opened.length, disposed]).toEqual([1, []]);
});

test('prepares nothing when memory is short', async () => {
  const machine = { ...createTestHost({}).machine, memoryFree: () => 15 };
  const { unet, opened } = await setUp({ machine });
  unet.prepare(never);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(opened).toEqual([]);
});

// Conversion doubles the weights or more, and saves a fifth of a step at 512 x 512 pixels.
test.each([
  [1599, true],
  [1600, false],
])('with %i bytes of free memory, 100 bytes of weights are used as stored: %s', async (free, areStored) => {
  const options: unknown[] = [];
  const host = createTestHost({});
  const graphs = graphsOf({
    ...host,
    machine: { ...host.machine, memoryFree: () => free },
    tensorEngine: {
      name: 'scripted',
      open: async (_files, { keepsStoredWeights }) => {
        options.push(keepsStoredWeights);
        return { gone: new Promise<Error>(() => {}) } as unknown as TensorSession;
      },
    },
  });
  const built = { role: 'weights' as const, name: 'graph', size: 50, bytes: new Uint8Array(50) };
  const weights = { role: 'part' as const, name: 'a', size: 900, used: 50, path: 'm/a.safetensors' };
  await graphs.built('m/a', async () => [built, weights]).session(never);
  expect(options).toEqual([areStored]);
});

test('weights of a network that runs once for a prompt are used as stored, unless it is small', async () => {
  const options: unknown[] = [];
  const graphs = graphsOf({
    ...createTestHost({}),
    tensorEngine: {
      name: 'scripted',
      open: async (_files, { keepsStoredWeights }) => {
        options.push(keepsStoredWeights);
        return { gone: new Promise<Error>(() => {}) } as unknown as TensorSession;
      },
    },
  });
  const built = { role: 'weights' as const, name: 'graph', size: 50, bytes: new Uint8Array(50) };
  const weights = { role: 'part' as const, name: 'a', size: 2e8, path: 'm/a.safetensors' };
  const stored = { files: [], table: new Map(), used: new Map() };
  const parts = async () => [built, weights];
  await graphs.built('m/step', parts, stored).session(never);
  await graphs.built('m/once', parts, { ...stored, runsOnce: true }).session(never);
  await graphs.built('m/small', async () => [built], { ...stored, runsOnce: true }).session(never);
  expect(options).toEqual([false, true, false]);
});
