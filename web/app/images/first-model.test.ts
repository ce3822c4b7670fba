import { expect, it } from 'vitest';
import { catalogueEntries } from '#core/local-models/registry/catalogue/catalogue.ts';
import { findBundledModel, suggestedSettings } from './first-model.ts';
import table from './suggested.json' with { type: 'json' };

const PAGE = 'https://host.example/some/where/';

it('finds the model at the page, with the size of its files', async () => {
  const urls: string[] = [];
  const ask = async (url: unknown) => {
    urls.push(String(url));
    return Response.json([{ size: 5 }, { size: 7 }]);
  };
  expect(await findBundledModel(PAGE, ask)).toEqual({ model: 'emoji-128', bytes: 12, licence: 'MIT' });
  expect(urls).toEqual([`${PAGE}weights/emoji-128/files.json`]);
});

it.each([
  ['has no such file', async () => new Response('', { status: 404 })],
  ['answers every request with a page', async () => new Response('<!doctype html>')],
  ['cannot be reached', () => Promise.reject(new TypeError('no network'))],
])('finds no model when the host %s', async (_where, ask) => {
  expect(await findBundledModel(PAGE, ask)).toBeUndefined();
});

it('has settings for each image model of the catalogue, with any tag', () => {
  const models = catalogueEntries.filter(({ format }) => format === 'diffusers');
  const names = new Set(models.map(({ name }) => name.split(':')[0]!));
  expect(table.map(({ model }) => model).sort()).toEqual([...names].sort());
  for (const { name, description } of models) {
    const { width, height } = suggestedSettings(name)!;
    expect(description).toContain(`${width} x ${height}`);
  }
  expect(suggestedSettings('sdxl-lightning:4step')).toMatchObject({ steps: 4, scheduler: 'sgm_uniform' });
  expect(suggestedSettings('emoji-128')).toMatchObject({ guidance: 1 });
  expect(suggestedSettings('emoji-micro')).toBeUndefined();
});
