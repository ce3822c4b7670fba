/** Ollama's folder of models next to tabd's own store, on a real disk. */

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { printManifest } from '#core/local-models/registry/manifest/manifest.ts';
import type { ModelRegistry } from '#core/local-models/registry/model-registry.ts';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createNodeHost, type NodeHost } from '#shim/host/node-host.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

const image = 'application/vnd.ollama.image.';
const weights = tinyGguf();
let place: string;
let models: string;
let host: NodeHost;
let registry: ModelRegistry;
const warned: string[] = [];

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'tabd-folder-'));
  models = join(place, 'ollama');
  warned.length = 0;
  await addModel('registry.ollama.ai/library/tiny/1', weights);
  await addModel('hf.co/user/Other/Q4_K_M', weights);
  const log = { debug() {}, info() {}, warn: (message: string) => void warned.push(message), error() {} };
  host = await createNodeHost({ home: join(place, 'home'), env: { OLLAMA_MODELS: `"${models}" ` }, log });
  registry = createRegistry(host);
});
afterEach(async () => {
  await registry.close();
  await host.close();
  await rm(place, { recursive: true, force: true });
});

async function addModel(path: string, bytes: Uint8Array): Promise<void> {
  const layer = async (mediaType: string, content: Uint8Array) => {
    const hex = createHash('sha256').update(content).digest('hex');
    await put(join(models, 'blobs', `sha256-${hex}`), content);
    return { mediaType, digest: `sha256:${hex}` as const, size: content.length };
  };
  const text = (content: string) => new TextEncoder().encode(content);
  const layers = [
    { ...(await layer(`${image}model`, bytes)), from: 'base:latest' },
    await layer(`${image}template`, text('T {{ .Prompt }}')),
    await layer(`${image}params`, text('{"stop":["<end>"],"mirostat":2}')),
  ];
  const config = await layer('application/vnd.docker.container.image.v1+json', text('{"file_type":"Q9"}'));
  await put(join(models, 'manifests', path), text(printManifest(config, layers)));
}

async function put(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** All files with their times and bytes. */
async function snapshot(): Promise<string[]> {
  const entries = await readdir(models, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs } = await stat(path);
      return `${path} ${mtimeMs} ${
        entry.isFile()
          ? createHash('sha256')
              .update(await readFile(path))
              .digest('hex')
          : ''
      }`;
    }),
  );
}

const names = async () => (await registry.list()).map(({ name }) => registry.display(name)).sort();
const create = (model: string, from: string) =>
  collect(
    registry.create(
      { model, from, licences: [], parameters: {}, messages: [], info: {}, system: 'S' },
      neverAborted,
    ),
  );

it('finds its models, reads them, and writes nothing there', async () => {
  const before = await snapshot();
  expect(await names()).toEqual(['hf.co/user/Other:Q4_K_M', 'tiny:1']);
  const found = (await registry.find(registry.parse('TINY:1')))!;
  const text = await readFile(join(models, 'manifests/registry.ollama.ai/library/tiny/1'));
  expect(found).toMatchObject({
    digest: createHash('sha256').update(text).digest('hex'),
    template: 'T {{ .Prompt }}',
    parameters: { stop: ['<end>'] },
    otherParameters: { mirostat: 2 },
    parentModel: 'base:latest',
    config: { quantization: 'Q9' },
    readOnlyIn: models,
  });
  expect(await registry.metadata(found)).toMatchObject({ architecture: 'llama' });
  expect((await host.blobs.pathOf(found.files[0]!.digest)).startsWith(models)).toBe(true);
  await expect(registry.delete(found.name)).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining(`'tiny:1' is in ${models}`),
  });
  // Copies, and models created from it, belong to tabd.
  expect(await registry.copy(found.name, registry.parse('mine'))).toBe(true);
  expect((await create('derived', 'tiny:1')).error).toBeUndefined();
  expect(await names()).toEqual(['derived:latest', 'hf.co/user/Other:Q4_K_M', 'mine:latest', 'tiny:1']);
  for (const name of ['mine', 'derived']) expect(await registry.delete(registry.parse(name))).toBe(true);
  expect(await names()).toEqual(['hf.co/user/Other:Q4_K_M', 'tiny:1']);
  expect(await snapshot()).toEqual(before);
  expect(await host.blobs.list()).toEqual([]);
});

it('yields to a model of tabd with the same name, until that is deleted', async () => {
  expect((await create('tiny:1', 'tiny:1')).error).toBeUndefined();
  expect((await registry.find(registry.parse('tiny:1')))!).toMatchObject({ system: 'S' });
  expect((await registry.list()).filter(({ name }) => name.model === 'tiny')).toHaveLength(1);
  expect(await registry.delete(registry.parse('tiny:1'))).toBe(true);
  expect((await registry.find(registry.parse('tiny:1')))!.readOnlyIn).toBe(models);
});

it('keeps models that were created from its models after their deletion', async () => {
  expect(await registry.copy(registry.parse('tiny:1'), registry.parse('mine'))).toBe(true);
  await rm(models, { recursive: true });
  const mine = (await registry.find(registry.parse('mine')))!;
  expect(await createRegistry(host).metadata(mine)).toMatchObject({ architecture: 'llama' });
  expect((await create('derived', 'mine')).error).toBeUndefined();
});

it('follows changes in the folder, and skips damaged manifests', async () => {
  await names();
  await addModel('registry.ollama.ai/library/later/latest', tinyGguf({ contextLength: 7 }));
  await put(join(models, 'manifests/registry.ollama.ai/library/broken/latest'), new Uint8Array([123]));
  await put(join(models, 'manifests/stray'), new Uint8Array([123]));
  await rm(join(models, 'manifests/hf.co'), { recursive: true });
  expect(await names()).toEqual(['later:latest', 'tiny:1']);
  expect(warned.filter((line) => line.includes('broken'))).toHaveLength(1);
  await rm(models, { recursive: true });
  expect(await names()).toEqual([]);
  expect(warned.at(-1)).toContain('cannot be listed');
});
