import { expect, test } from 'vitest';
import { catalogueEntries } from '#core/local-models/registry/catalogue/catalogue.ts';
import { tryParseName } from '#core/local-models/registry/names/model-name.ts';
import { prebuiltList } from './prebuilt-list.ts';

test('every model of the installed package has the fields that a pull needs', async () => {
  const list = await prebuiltList();
  expect(list.length).toBeGreaterThan(100);
  for (const model of list) {
    expect(model.quantization, model.id).toMatch(/^q\d+f(16|32)(_\d)?$/);
    expect(new URL(model.repository).pathname, model.id).toMatch(/^\/[\w.-]+\/[\w.-]+$/);
    expect(model.library, model.id).toMatch(/^https:\/\/.*\.wasm$/);
    expect(tryParseName(model.id), model.id).toMatchObject({ model: model.id });
  }
  expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
  expect(list.find(({ id }) => id === 'SmolLM2-135M-Instruct-q0f32-MLC')).toMatchObject({
    format: 'mlc',
    quantization: 'q0f32',
    gpuMemory: expect.any(Number),
  });
  expect(list.some(({ id }) => /embed/.test(id))).toBe(false);
});

test('the list contains every MLC model of the catalogue', async () => {
  const ids = new Set((await prebuiltList()).map(({ id }) => id));
  const catalogueIds = catalogueEntries.flatMap(({ mlc }) => mlc ?? []);
  expect(catalogueIds.length).toBeGreaterThan(10);
  expect(catalogueIds.filter((id) => !ids.has(id))).toEqual([]);
});
