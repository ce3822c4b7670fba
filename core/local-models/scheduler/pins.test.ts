import { expect, test } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { fakeRegistry } from '#test/support/local-models/fake-registry.ts';
import { Pins } from './pins.ts';

const options = { contextLength: 512, batchSize: 64, gpuLayers: 0, threads: 0 };

async function setUp() {
  const host = createTestHost();
  const registry = fakeRegistry([{ name: 'a' }, { name: 'b' }]);
  const model = async (name: string) => (await registry.find(registry.parse(name)))!;
  return { host, registry, pins: new Pins(host), a: await model('a'), b: await model('b') };
}

test('lists pinned models with their options, also in another process', async () => {
  const { host, registry, pins, a, b } = await setUp();
  await pins.set(a, options);
  await pins.set(b, { ...options, threads: 2 });
  await pins.set(b, undefined);
  expect(await new Pins(host).list(registry)).toEqual([{ model: a, options }]);
});

test('removes the pins of models that are not installed any more', async () => {
  const { pins, a, b } = await setUp();
  await pins.set(a, options);
  await pins.set(b, options);
  const onlyB = fakeRegistry([{ name: 'b' }]);
  expect((await pins.list(onlyB)).map(({ model }) => model.name.model)).toEqual(['b']);
  const both = fakeRegistry([{ name: 'a' }, { name: 'b' }]);
  expect((await pins.list(both)).map(({ model }) => model.name.model)).toEqual(['b']);
});

test('logs a store that fails, and lists what it has read', async () => {
  const { host, registry, pins, a } = await setUp();
  const records = host.records.collection('pins');
  Object.assign(records, {
    put: () => Promise.reject(new Error('disk full')),
    list: () => Promise.reject(new Error('disk gone')),
  });
  host.records.collection = (() => records) as typeof host.records.collection;
  const broken = new Pins(host);
  await broken.set(a, options);
  expect(await broken.list(registry)).toEqual([]);
  expect(host.logged.map(({ level, fields }) => [level, fields?.cause])).toEqual([
    ['warn', 'disk full'],
    ['warn', 'disk gone'],
  ]);
  expect(await pins.list(registry)).toEqual([]);
});
