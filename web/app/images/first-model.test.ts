import { expect, it } from 'vitest';
import { catalogueEntries } from '#core/local-models/registry/catalogue/catalogue.ts';
import { findBundledModel, suggestedSettings } from './first-model.ts';
import table from './suggested.json' with { type: 'json' };

const PAGE = 'https://host.example/some/where/';

it('is the one beside the page, as large as its files', async () => {
  const asked: string[] = [];
  const ask = async (url: unknown) => {
    asked.push(String(url));
    return Response.json([{ size: 5 }, { size: 7 }]);
  };
  expect(await findBundledModel(PAGE, ask)).toEqual({ model: 'emoji-128', bytes: 12, licence: 'MIT' });
  expect(asked).toEqual([`${PAGE}weights/emoji-128/files.json`]);
});

it.each([
  ['has no such file', async () => new Response('', { status: 404 })],
  ['answers everything with a page', async () => new Response('<!doctype html>')],
  ['cannot be reached', () => Promise.reject(new TypeError('no network'))],
])('is none where the host %s', async (_where, ask) => {
  expect(await findBundledModel(PAGE, ask)).toBeUndefined();
});

it('knows how image models of the catalogue are used, in any tag', () => {
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
