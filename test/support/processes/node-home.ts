/** A TABD_HOME with models that the registry imported and verified. */
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createNodeHost } from '#shim/host/node-host.ts';

export interface HomeModel {
  name: string;
  path: string;
}

export async function makeHome(models: HomeModel[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'tabd-home-'));
  if (models.length === 0) return home;
  const quiet = { debug() {}, info() {}, warn: console.warn, error: console.error };
  const host = await createNodeHost({ home, env: {}, log: quiet });
  try {
    const registry = createRegistry(host);
    for (const { name, path } of models) {
      const blob = await openAsBlob(path);
      const file = { name: basename(path), size: blob.size, stream: () => blob.stream() };
      for await (const _progress of registry.importFile(name, file, new AbortController().signal)) {
        // The last line reports success. A failure throws.
      }
    }
  } finally {
    await host.close();
  }
  return home;
}

export async function removeHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true });
}
