/** A model that comes with the page: pulled by a tab over HTTP, and by the shim from the folder of its page. */

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeFileList } from '#scripts/file-list.mjs';
import { siteSource as folderSource } from '#shim/sources/site.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { emojiFolder } from '#test/support/model-files/emoji-model.ts';
import { type StaticSite, serveFiles } from '#test/support/network/static-files.ts';
import { siteSource } from './site-source.ts';

let app: string;
let site: StaticSite;
beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'tabd-app-'));
  await cp(emojiFolder, join(app, 'weights', 'emoji-128'), { recursive: true });
  writeFileList(join(app, 'weights', 'emoji-128'));
  site = await serveFiles(app, '/some/where/');
});
afterAll(async () => {
  await site.close();
  await rm(app, { recursive: true });
});

const network = { fetch: (url: string | Request, init?: RequestInit) => fetch(url, init) };
const pull = { model: 'emoji-128', insecure: false };

it.each([
  ['a tab', () => siteSource(network, () => site.url.replace(/\/$/, ''))],
  ['the shim', () => folderSource(() => app)],
])('%s pulls it by name, complete, with its licence', async (_where, source) => {
  const { registry, host } = registryUnderTest({ sources: [source()] });
  const { lines, error } = await collect(registry.pull(pull, neverAborted));
  expect(error).toBeUndefined();
  expect(lines).toContainEqual({ status: 'licence: mit' });
  const [model] = await registry.list();
  expect(model).toMatchObject({ format: 'diffusers', capabilities: ['image'], licences: ['mit'] });
  expect(model!.files.map(({ name }) => name)).toContain('vae_decoder/model.onnx');
  expect(host.requested).toEqual([]);
});

it('is unavailable on foreign sites, and where a host answers every request with a page', async () => {
  const page = { fetch: async () => new Response('<!doctype html>') };
  for (const source of [
    siteSource(network, () => undefined),
    siteSource(network, () => site.origin),
    siteSource(page, () => site.origin),
    folderSource(() => undefined),
    folderSource(() => tmpdir()),
  ]) {
    const { registry } = registryUnderTest({ sources: [source] });
    const { error } = await collect(registry.pull(pull, neverAborted));
    expect(error?.message).toBe('pull model manifest: file does not exist');
  }
});
