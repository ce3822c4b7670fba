/** A trained image model in a hub's layout is pulled by its name, used and deleted. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordsSchema } from '#core/host';
import type { Server } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import { inlineTensors } from '#test/support/host/inline-tensors.ts';
import { createTestHost, type TestHost } from '#test/support/host/test-host.ts';
import { finishedPrompt } from '#test/support/image-workflows/finished-prompt.ts';
import { CALL } from '#test/support/local-models/fake-server.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { defaultGraph, emojiFiles } from '#test/support/model-files/emoji-model.ts';

const MODEL = 'hf.co/user/emoji';

let hub: Hub;
let host: TestHost;
let server: Server;

beforeAll(async () => {
  const files: Record<string, Uint8Array> = { 'README.md': new Uint8Array(9), ...(await emojiFiles()) };
  // Repositories hold such files as well. They are not pulled.
  files['unet/diffusion_pytorch_model.safetensors'] = new Uint8Array(9);
  hub = await startHub({ 'user/emoji': { card: { license: 'mit' }, files } });
  const memory = createTestHost({
    schema: recordsSchema,
    clock: 'real',
    settings: { HF_ENDPOINT: hub.endpoint },
    fetch: (request) => fetch(request),
  });
  const tensorEngine = inlineTensors(async (file) => {
    if (!('digest' in file)) throw new Error('all graphs of this test are pulled ones');
    return new Uint8Array(await new Response(memory.blobs.read(file.digest)).arrayBuffer());
  });
  host = Object.assign(memory, { tensorEngine });
  server = createCore(host).server;
});
afterAll(async () => {
  await server?.close();
  await hub?.close();
});

async function ask(
  listener: 'local-models' | 'image-workflows',
  path: string,
  body?: unknown,
  method?: string,
) {
  const init =
    body === undefined
      ? { method: method ?? 'GET' }
      : { method: method ?? 'POST', body: JSON.stringify(body) };
  return server.fetch(new Request(`http://127.0.0.1${path}`, init), { ...CALL, listener });
}
const images = async (path: string, body?: string) =>
  (await ask('image-workflows', path, body && JSON.parse(body))).json();
const checkpoints = () => images('/models/checkpoints');

async function pull(): Promise<{ status?: string; error?: string; completed?: number; total?: number }[]> {
  const lines = await (await ask('local-models', '/api/pull', { model: MODEL })).text();
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a pull reports licence and progress, and resumes after a broken connection', async () => {
  expect(await checkpoints()).toEqual([]);
  hub.faults.cut = { at: 0.4, times: 1 };
  const lines = await pull();
  expect(lines.at(-1)).toEqual({ status: 'success' });
  expect(lines).toContainEqual({ status: 'licence: mit' });
  expect(lines.some(({ completed = 0, total = 0 }) => completed > 0 && completed === total)).toBe(true);
  const ranged = hub.requests.filter(({ headers }) => headers.range !== undefined);
  expect(ranged.map(({ server: from, path }) => [from, path.split('/').slice(-2).join('/')])).toEqual([
    ['hub', 'unet/model.onnx'],
    ['cdn', 'unet/model.onnx'],
  ]);
  expect(hub.requests.some(({ path }) => path.endsWith('.safetensors'))).toBe(false);
  const { models } = await (await ask('local-models', '/api/tags')).json();
  expect(models).toMatchObject([
    {
      name: `${MODEL}:latest`,
      capabilities: ['image'],
      details: { format: 'diffusers', family: 'stable-diffusion' },
    },
  ]);
});

test('a pulled model works as a checkpoint', { timeout: 120_000 }, async () => {
  expect(await checkpoints()).toEqual([MODEL]);
  const { CheckpointLoaderSimple: loader } = await images('/object_info/CheckpointLoaderSimple');
  expect(loader.input.required.ckpt_name[0]).toEqual([MODEL]);
  const { status } = await finishedPrompt(images, defaultGraph({ checkpoint: MODEL, prefix: 'pulled' }));
  expect(status.status_str).toBe('success');
  expect(await host.files.names('output')).toEqual(['pulled_00001_.png']);
});

test('a folder of the same name that a person created takes precedence', async () => {
  const own = `models/checkpoints/${MODEL}/unet/config.json`;
  await host.files.write(own, new TextEncoder().encode('{}'));
  expect(await checkpoints()).toEqual([MODEL]);
  await host.files.delete('models/checkpoints/hf.co');
});

test('an image model refuses chat and embeddings, and disappears when it is deleted', async () => {
  const chat = await ask('local-models', '/api/chat', {
    model: MODEL,
    messages: [{ role: 'user', content: 'a cat' }],
  });
  expect([chat.status, await chat.json()]).toEqual([400, { error: `"${MODEL}" does not support chat` }]);
  const embed = await ask('local-models', '/api/embed', { model: MODEL, input: 'a cat' });
  expect(embed.status).toBeGreaterThanOrEqual(400);
  expect((await ask('local-models', '/api/delete', { model: MODEL }, 'DELETE')).status).toBe(200);
  expect(await checkpoints()).toEqual([]);
  expect(await host.blobs.list()).toEqual([]);
});
