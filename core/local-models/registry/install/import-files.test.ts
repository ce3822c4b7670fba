import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyPart } from '#test/support/model-files/split-gguf.ts';
import { type GgufValue, tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

const model = tinyGguf({ tensors: [{ name: 'w', shape: [256, 1000], type: 'F32' }] });
const other = tinyGguf({ contextLength: 77 });
const digest = `sha256:${createHash('sha256').update(model).digest('hex')}` as const;

const file = (name: string, bytes: Uint8Array<ArrayBuffer>) => ({
  name,
  size: bytes.length,
  stream: () => new Blob([bytes]).stream(),
});

describe('importing a file', () => {
  it('installs it under the name of the request, or a name from the file name', async () => {
    const { registry } = registryUnderTest();
    const { lines, error } = await collect(
      registry.importFiles('', [file('C:\\m\\My Model.Q8_0.gguf', model)], neverAborted),
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
    await collect(registry.importFiles('mine:1', [file('x.gguf', other)], neverAborted));
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
    const { error } = await collect(registry.importFiles('x', [file('x.gguf', bytes)], neverAborted));
    expect(error).toMatchObject({ status: 400 });
    expect(error?.message).toContain(message);
    expect(host.blobs.used()).toBe(0);
  });

  it('stores nothing after a cancel', async () => {
    const { host, registry } = registryUnderTest();
    const leaving = new AbortController();
    const lines = registry.importFiles('x', [file('x.gguf', model)], leaving.signal)[Symbol.asyncIterator]();
    await lines.next();
    await lines.next();
    leaving.abort(new Error('left'));
    await expect(lines.next()).rejects.toThrow('left');
    expect(host.blobs.used()).toBe(0);
    expect(await registry.list()).toEqual([]);
  });
});

describe('importing several files', () => {
  const text = (value: string): GgufValue => ({ type: 'string', value });
  const part = (number: number, count = 2) =>
    file(`Tiny.Q8_0-0000${number}-of-0000${count}.gguf`, tinyPart(number - 1, count));
  const projector = file('mmproj.gguf', tinyGguf({ metadata: { 'general.type': text('mmproj') } }));

  it('installs the parts of one model, in any order, with one line of progress', async () => {
    const { registry } = registryUnderTest();
    const files = [part(2), part(1)];
    const { lines, error } = await collect(registry.importFiles('', files, neverAborted));
    expect(error).toBeUndefined();
    const copying = lines.filter(({ status }) => status === 'copying Tiny.Q8_0.gguf');
    const total = files[0]!.size + files[1]!.size;
    expect(new Set(copying.map((line) => line.total))).toEqual(new Set([total]));
    const [model] = await registry.list();
    expect(registry.display(model!.name)).toBe('Tiny:Q8_0');
    expect(model!.files.map(({ role, size }) => [role, size])).toEqual([
      ['weights', files[1]!.size],
      ['part', files[0]!.size],
    ]);
  });

  it('installs a model with its projector', async () => {
    const { registry } = registryUnderTest();
    await collect(registry.importFiles('eyes', [file('a.gguf', other), projector], neverAborted));
    expect((await registry.list())[0]!.files.map(({ role }) => role)).toEqual(['weights', 'projector']);
  });

  it.each([
    ['a part without the others', [part(1)], 'is part 1 of 2 of a model: name all 2 files'],
    ['parts of different models', [part(1), part(2, 3)], ''],
    ['two models', [file('a.gguf', model), file('b.gguf', other)], 'more than one model is among the files'],
    ['a projector without its model', [projector], 'import it together with its model'],
    ['no file', [], 'there is no file to import'],
  ])('refuses %s and stores nothing', async (_, files, message) => {
    const { host, registry } = registryUnderTest();
    const { error } = await collect(registry.importFiles('x', files, neverAborted));
    expect(error).toMatchObject({ status: 400 });
    expect(error?.message).toContain(message);
    expect(host.blobs.used()).toBe(0);
    expect(await registry.list()).toEqual([]);
  });

  it('stores nothing when its client leaves during the second file', async () => {
    const { host, registry } = registryUnderTest();
    const lines = registry.importFiles('x', [part(1), part(2)], neverAborted)[Symbol.asyncIterator]();
    let status: string | undefined;
    while (!status?.startsWith('pulling')) status = (await lines.next()).value?.status;
    await lines.next();
    await lines.return?.();
    expect(host.blobs.used()).toBe(0);
  });
});
