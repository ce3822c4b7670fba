import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, hubToken, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyPart } from '#test/support/model-files/split-gguf.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { smollm2, smollm2Digest } from '#test/support/model-files/weights.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const model = tinyGguf({ tensors: [{ name: 'token_embd.weight', shape: [256, 400], type: 'F32' }] });
const small = tinyGguf();
const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}` as const;
const digest = digestOf(model);
const short = digest.slice(7, 19);

let hub: Hub;
beforeAll(async () => {
  const html = new TextEncoder().encode('<!DOCTYPE html><title>Sign in</title>');
  hub = await startHub({
    'user/tiny': {
      card: { license: 'apache-2.0' },
      files: { 'tiny.Q4_K_M.gguf': model, 'tiny.Q8_0.gguf': small, 'README.md': new Uint8Array(3) },
    },
    'user/told': {
      files: {
        'm-Q8_0.gguf': small,
        'mmproj-m-f16.gguf': tinyGguf({ architecture: 'clip' }),
        template: new TextEncoder().encode('{{ .Prompt }}{{ .Suffix }}'),
        params: new TextEncoder().encode('{"stop":["<end>"],"temperature":0.5}'),
        system: new TextEncoder().encode('Be brief.'),
      },
    },
    'user/gated': { gated: true, files: { 'g.Q4_K_M.gguf': small } },
    'user/split': {
      files: {
        'Q8_0/big-Q8_0-00002-of-00002.gguf': tinyPart(1, 2),
        'Q8_0/big-Q8_0-00001-of-00002.gguf': tinyPart(0, 2),
        'mmproj-big-f16.gguf': tinyGguf({ architecture: 'clip' }),
      },
    },
    'user/partly': { files: { 'big-Q8_0-00001-of-00002.gguf': tinyPart(0, 2), 'small-Q2_K.gguf': small } },
    'user/swapped': {
      files: { 'x-Q8_0-00001-of-00002.gguf': tinyPart(1, 2), 'x-Q8_0-00002-of-00002.gguf': tinyPart(0, 2) },
    },
    'user/none': { files: { 'model.safetensors': small } },
    'user/html': { files: { 'x.Q4_K_M.gguf': html } },
    'user/truncated': { files: { 'x.Q4_K_M.gguf': model.slice(0, model.length / 2) } },
    'user/real': { files: { 'SmolLM2-135M-Instruct.Q4_1.gguf': await smollm2() } },
  });
});
afterAll(() => hub.close());
beforeEach(() => {
  for (const fault of Object.keys(hub.faults)) delete hub.faults[fault as keyof typeof hub.faults];
  hub.requests.length = 0;
});

const fromHub = (settings: Record<string, string> = {}) =>
  registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint, ...settings } });
const pull = (model: string) => ({ model, insecure: false });
const fetches = () => hub.requests.filter(({ server }) => server === 'cdn');

describe('pulling from the hub', () => {
  it('pulls Q4_K_M, reports as documented, and installs the complete model', async () => {
    const { host, registry } = fromHub();
    const { lines, error } = await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted));
    expect(error).toBeUndefined();
    const progress = lines.filter((line) => line.digest);
    expect(lines.filter((line) => !line.digest)).toEqual([
      { status: 'pulling manifest' },
      { status: 'licence: apache-2.0' },
      { status: 'verifying sha256 digest' },
      { status: 'using autodetected template chatml' },
      { status: 'writing manifest' },
      { status: 'success' },
    ]);
    expect(progress[0]).toEqual({ status: `pulling ${short}`, digest, total: model.length });
    expect(progress.at(-1)).toEqual({
      status: `pulling ${short}`,
      digest,
      total: model.length,
      completed: model.length,
    });
    const name = registry.parse('HF.CO/User/TINY');
    const found = (await registry.find(name))!;
    expect(registry.display(found.name)).toBe('hf.co/user/tiny:latest');
    expect(found).toMatchObject({
      format: 'gguf',
      files: [{ role: 'weights', digest, size: model.length }],
      licences: ['apache-2.0'],
      parameters: { stop: ['<|im_start|>', '<|im_end|>'] },
      capabilities: ['completion'],
      origin: `${hub.endpoint}/user/tiny/blob/main/tiny.Q4_K_M.gguf`,
    });
    expect(found.template).toContain('range .Messages');
    expect(found.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(found.size).toBeGreaterThan(model.length);
    expect(await registry.metadata(found)).toMatchObject({ quantization: 'Q4_1', architecture: 'llama' });
    expect((await host.records.collection('pulls').list()).length).toBe(0);
  });

  it('reports a stored file in one line and fetches nothing', async () => {
    const { registry } = fromHub();
    await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted));
    const before = fetches().length;
    const { lines } = await collect(registry.pull(pull('hf.co/user/tiny:Q4_K_M'), neverAborted));
    expect(fetches().length).toBe(before);
    expect(lines.filter((line) => line.digest)).toEqual([
      { status: `pulling ${short}`, digest, total: model.length, completed: model.length },
    ]);
  });

  it('pulls the quantization of the tag, in any case', async () => {
    const { registry } = fromHub();
    expect(
      (await collect(registry.pull(pull('huggingface.co/user/tiny:q8_0'), neverAborted))).error,
    ).toBeUndefined();
    const found = await registry.find(registry.parse('huggingface.co/user/tiny:Q8_0'));
    expect(found?.files[0]?.digest).toBe(digestOf(small));
  });

  it('installs projector, template, parameters and system text from the repository', async () => {
    const { registry } = fromHub();
    expect((await collect(registry.pull(pull('hf.co/user/told'), neverAborted))).error).toBeUndefined();
    expect(await registry.find(registry.parse('hf.co/user/told'))).toMatchObject({
      files: [{ role: 'weights' }, { role: 'projector' }],
      template: '{{ .Prompt }}{{ .Suffix }}',
      system: 'Be brief.',
      parameters: { stop: ['<end>'], temperature: 0.5 },
      capabilities: ['completion', 'vision', 'insert'],
    });
  });

  it.each([
    ['hf.co/user/absent', /user\/absent does not exist, or is private or gated \(401\): .* set HF_TOKEN/],
    ['hf.co/user/gated', /user\/gated does not exist, or is private or gated \(401\): .* set HF_TOKEN/],
    [
      'hf.co/user/tiny:Q2_K',
      /user\/tiny holds no file for Q2_K; it has tiny\.Q4_K_M\.gguf, tiny\.Q8_0\.gguf/,
    ],
    [
      'hf.co/user/partly:Q8_0',
      /big-Q8_0-00001-of-00002\.gguf is one of 2 parts, and big-Q8_0-00002-of-00002\.gguf is missing/,
    ],
    ['hf.co/user/none', /holds no GGUF file/],
  ])('refuses %s with the cause and the next step', async (reference, message) => {
    const { registry } = fromHub();
    const { lines, error } = await collect(registry.pull(pull(reference), neverAborted));
    expect(lines).toEqual([{ status: 'pulling manifest' }]);
    expect(error).toMatchObject({ name: 'ApiError', status: 500 });
    expect(error?.message).toMatch(/^pull model manifest: /);
    expect(error?.message).toMatch(message);
  });

  it.each(['', ':Q8_0', ':big-Q8_0-00002-of-00002.gguf'])(
    'pulls all parts of a split file: %j',
    async (file) => {
      const { registry } = fromHub();
      const { error } = await collect(registry.pull(pull(`hf.co/user/split${file}`), neverAborted));
      expect(error).toBeUndefined();
      const [model] = await registry.list();
      const roles = model!.files.map(({ role, digest }) => [role, digest]);
      expect(roles.slice(0, 2)).toEqual([
        ['weights', digestOf(tinyPart(0, 2))],
        ['part', digestOf(tinyPart(1, 2))],
      ]);
      expect((await registry.metadata(model!)).tensors.map(({ name }) => name)).toEqual([
        'blk.0.attn_norm.weight',
        'blk.1.attn_norm.weight',
      ]);
    },
  );

  it('installs nothing of parts that do not fit together', async () => {
    const { host, registry } = fromHub();
    const { error } = await collect(registry.pull(pull('hf.co/user/swapped'), neverAborted));
    expect(error?.message).toMatch(/file 1 of 2 is part 2 of 2 of its model/);
    expect(await registry.list()).toEqual([]);
    expect(await host.blobs.stat(digestOf(tinyPart(0, 2)))).toBeUndefined();
  });

  it('sends the token to the hub alone', async () => {
    const { registry } = fromHub({ HF_TOKEN: hubToken });
    expect((await collect(registry.pull(pull('hf.co/user/gated'), neverAborted))).error).toBeUndefined();
    const shown = hub.requests.map(({ server, headers }) => [server, headers.authorization]);
    expect(shown).toContainEqual(['hub', `Bearer ${hubToken}`]);
    expect(shown.filter(([server]) => server === 'cdn')).toEqual([['cdn', undefined]]);
  });

  it('reports that the hub cannot be reached', async () => {
    const { registry } = registryUnderTest({ settings: { HF_ENDPOINT: 'http://127.0.0.1:2' } });
    const { error } = await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted));
    expect(error?.message).toBe(
      'pull model manifest: Get "http://127.0.0.1:2/api/models/user/tiny?blobs=true": dial tcp 127.0.0.1:2: connect: connection refused; where the hub cannot be reached, HF_ENDPOINT can name a mirror',
    );
  });
});

describe('network faults', () => {
  it('continues where the connection broke off', async () => {
    const { registry } = fromHub();
    hub.faults.cut = { at: 0.4, times: 1 };
    expect((await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted))).error).toBeUndefined();
    const ranges = fetches().map(({ headers }) => headers.range);
    expect(ranges).toEqual([undefined, `bytes=${Math.floor(model.length * 0.4)}-`]);
  });

  it('fails when no more data arrives, and continues at the next pull, also after a restart', async () => {
    const { host, registry, restart } = fromHub();
    hub.faults.cut = { at: 0.4, times: 1 };
    hub.faults.status = { code: 503, times: 99, skip: 1 };
    const { error } = await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted));
    expect(error?.message).toMatch(
      /^max retries exceeded: .* answered 503.*; pull again to continue from there$/,
    );
    expect(await registry.list()).toEqual([]);
    expect([...host.blobs.partials.keys()]).toEqual([digest.replace(':', '-')]);

    hub.faults.status.times = 0;
    hub.requests.length = 0;
    const again = restart();
    const { lines, error: none } = await collect(again.pull(pull('hf.co/user/tiny'), neverAborted));
    expect(none).toBeUndefined();
    expect(fetches().map(({ headers }) => headers.range)).toEqual([
      `bytes=${Math.floor(model.length * 0.4)}-`,
    ]);
    expect(lines.find((line) => line.digest)?.completed).toBe(Math.floor(model.length * 0.4));
    expect(host.blobs.partials.size).toBe(0);
  });

  it('downloads a file again after a flipped bit', async () => {
    const { registry } = fromHub();
    hub.faults.flip = { times: 1 };
    expect((await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted))).error).toBeUndefined();
    expect(fetches().map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
  });

  it('refuses a file that is damaged every time, and stores nothing of it', async () => {
    const { host, registry } = fromHub();
    hub.faults.flip = { times: 9 };
    const { error } = await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted));
    expect(error?.message).toMatch(
      new RegExp(`^digest mismatch, file must be downloaded again: want ${digest}, got sha256:[0-9a-f]{64}$`),
    );
    expect(host.blobs.blobs.size + host.blobs.partials.size).toBe(0);
    expect(await registry.list()).toEqual([]);
  });

  it('works without range requests', async () => {
    const { registry } = fromHub();
    hub.faults.noRange = true;
    hub.faults.cut = { at: 0.4, times: 1 };
    expect((await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted))).error).toBeUndefined();
    expect(fetches().length).toBe(2);
  });

  it('waits for the time that a busy server requests, and retries', async () => {
    const { host, registry } = fromHub();
    hub.faults.status = { code: 429, times: 1, retryAfter: 5 };
    expect((await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted))).error).toBeUndefined();
    expect(host.logged.map(({ fields }) => fields?.in)).toContain(5000);
  });

  it('does not retry when the file no longer exists', async () => {
    const { registry } = fromHub();
    hub.faults.status = { code: 404, times: 9 };
    const { error } = await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted));
    expect(error?.message).toMatch(/answered 404/);
    expect(fetches().length).toBe(1);
  });

  it('replaces a connection without data', async () => {
    const { registry } = fromHub();
    hub.faults.stall = { at: 0.5, times: 1 };
    expect((await collect(registry.pull(pull('hf.co/user/tiny'), neverAborted))).error).toBeUndefined();
    expect(fetches().map(({ headers }) => headers.range)).toEqual([undefined, `bytes=${model.length / 2}-`]);
  });

  it.each([
    ['hf.co/user/html', 'supplied file was not in GGUF format'],
    ['hf.co/user/truncated', 'the GGUF file is truncated'],
  ])('refuses %s, and neither installs nor stores anything', async (reference, message) => {
    const { host, registry } = fromHub();
    const { error } = await collect(registry.pull(pull(reference), neverAborted));
    expect(error?.message).toContain(message);
    expect(host.blobs.blobs.size + host.blobs.partials.size).toBe(0);
    expect(await registry.list()).toEqual([]);
  });
});

it('pulls, installs and describes the real weights', async () => {
  const { registry } = fromHub();
  hub.faults.cut = { at: 0.4, times: 1 };
  const { lines, error } = await collect(registry.pull(pull('hf.co/user/real:Q4_1'), neverAborted));
  expect(error).toBeUndefined();
  expect(lines.find((line) => line.digest)?.digest).toBe(smollm2Digest);
  expect(lines).toContainEqual({ status: 'using autodetected template chatml' });
  const found = (await registry.find(registry.parse('hf.co/user/real:Q4_1')))!;
  expect(await registry.metadata(found)).toMatchObject({ parameterCount: 134515008, contextLength: 8192 });
});
