/** The next process continues an interrupted download, on a real disk. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createNodeHost } from '#shim/host/node-host.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { startHub } from '#test/support/local-models/hub.ts';
import { collect } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

it('continues where the former process stopped', async () => {
  const model = tinyGguf({ tensors: [{ name: 'w', shape: [1024, 2000], type: 'F32' }] });
  const hub = await startHub({ 'user/tiny': { files: { 'tiny.Q4_K_M.gguf': model } } });
  const home = await mkdtemp(join(tmpdir(), 'tabd-restart-'));
  const request = { model: 'hf.co/user/tiny', insecure: false };
  const log = { debug() {}, info() {}, warn() {}, error: console.error };
  const open = () => createNodeHost({ home, env: { HF_ENDPOINT: hub.endpoint }, log });
  try {
    hub.faults.slow = { delay: 5, piece: 64 * 1024 };
    const first = await open();
    const leaving = new AbortController();
    let seen = 0;
    await expect(async () => {
      for await (const { completed } of createRegistry(first).pull(request, leaving.signal)) {
        seen = completed ?? 0;
        if (seen > 3_000_000) leaving.abort(new Error('the process ends'));
      }
    }).rejects.toThrow('the process ends');
    await first.close();

    delete hub.faults.slow;
    const second = await open();
    const registry = createRegistry(second);
    const { error } = await collect(registry.pull(request, neverAborted));
    expect(error).toBeUndefined();
    expect((await registry.list())[0]?.files[0]?.size).toBe(model.length);
    await second.close();
    const resumed = hub.requests.filter(({ server }) => server === 'cdn').at(-1)?.headers.range;
    const start = Number(/^bytes=(\d+)-$/.exec(resumed ?? '')?.[1]);
    expect(start).toBeGreaterThan(2_000_000);
    expect(start).toBeLessThan(model.length);
  } finally {
    await hub.close();
    await rm(home, { recursive: true, force: true });
  }
});
