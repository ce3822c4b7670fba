import { expect, it } from 'vitest';
import { findBundledModel } from './first-model.ts';

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
