/** A TABD_HOME with models that the registry imported and verified. */
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ModelRegistry } from '#core/local-models';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createNodeHost } from '#shim/host/node-host.ts';
import { filesSource } from '../local-models/files-source.ts';

export type HomeModel =
  | { name: string; path: string }
  /** A model of several files, by their names. */
  | { name: string; files: Record<string, Uint8Array<ArrayBuffer>> };

export async function makeHome(models: HomeModel[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'tabd-home-'));
  if (models.length === 0) return home;
  const quiet = { debug() {}, info() {}, warn: console.warn, error: console.error };
  const inMemory = models.flatMap((model) => ('files' in model ? [[model.name, model.files] as const] : []));
  const weightSources = [filesSource(Object.fromEntries(inMemory))];
  const host = await createNodeHost({ home, env: {}, log: quiet, weightSources });
  try {
    const registry = createRegistry(host);
    for (const model of models)
      for await (const _progress of await installing(registry, model)) {
        // The last line reports success. A failure throws.
      }
  } finally {
    await host.close();
  }
  return home;
}

async function installing(registry: ModelRegistry, model: HomeModel) {
  const { signal } = new AbortController();
  if ('files' in model) return registry.pull({ model: model.name, insecure: false }, signal);
  const blob = await openAsBlob(model.path);
  const file = { name: basename(model.path), size: blob.size, stream: () => blob.stream() };
  return registry.importFiles(model.name, [file], signal);
}

export async function removeHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true });
}
