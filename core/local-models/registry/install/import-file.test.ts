import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

const model = tinyGguf({ tensors: [{ name: 'w', shape: [256, 1000], type: 'F32' }] });
const other = tinyGguf({ contextLength: 77 });
const digest = `sha256:${createHash('sha256').update(model).digest('hex')}` as const;

describe('importing a file', () => {
  const file = (name: string, bytes: Uint8Array<ArrayBuffer>) => ({
    name,
    size: bytes.length,
    stream: () => new Blob([bytes]).stream(),
  });

  it('installs it under the name of the request, or a name from the file name', async () => {
    const { registry } = registryUnderTest();
    const { lines, error } = await collect(
      registry.importFile('', file('C:\\m\\My Model.Q8_0.gguf', model), neverAborted),
    );
    expect(error).toBeUndefined();
    // A slow machine reports the copying more than once.
    expect([...new Set(lines.map((line) => line.status))]).toEqual([
      'parsing GGUF',
      'copying C:\\m\\My Model.Q8_0.gguf',
      `pulling ${digest.slice(7, 19)}`,
      'using autodetected template chatml',
      'writing manifest',
      'success',
    ]);
    await collect(registry.importFile('mine:1', file('x.gguf', other), neverAborted));
    expect((await registry.list()).map(({ name }) => registry.display(name)).sort()).toEqual([
      'My-Model:Q8_0',
      'mine:1',
    ]);
  });

  it.each([
    ['text', new TextEncoder().encode('no model'), 'supplied file was not in GGUF format'],
    ['nothing', new Uint8Array(0), 'supplied file was not in GGUF format'],
    ['a part', model.slice(0, 5000), 'the GGUF file is truncated'],
  ])('refuses %s and stores nothing', async (_what, bytes, message) => {
    const { host, registry } = registryUnderTest();
    const { error } = await collect(registry.importFile('x', file('x.gguf', bytes), neverAborted));
    expect(error).toMatchObject({ status: 400 });
    expect(error?.message).toContain(message);
    expect(host.blobs.used()).toBe(0);
  });

  it('stores nothing after a cancel', async () => {
    const { host, registry } = registryUnderTest();
    const leaving = new AbortController();
    const lines = registry.importFile('x', file('x.gguf', model), leaving.signal)[Symbol.asyncIterator]();
    await lines.next();
    await lines.next();
    leaving.abort(new Error('left'));
    await expect(lines.next()).rejects.toThrow('left');
    expect(host.blobs.used()).toBe(0);
    expect(await registry.list()).toEqual([]);
  });
});
