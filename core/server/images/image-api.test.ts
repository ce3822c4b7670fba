/** The official client of OpenAI against the image API of a core over a host in memory. */
import OpenAI, { toFile } from 'openai';
import { afterEach, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { CALL } from '#test/support/local-models/fake-server.ts';
import { type Core, createCore } from '../create-core.ts';

let open: Core | undefined;
afterEach(async () => {
  await open?.server.close();
  open = undefined;
});

/** A saved graph that stands for a model: images of one colour, in the number of the request. */
const GRAPH = {
  1: { class_type: 'EmptyLatentImage', inputs: { width: 64, height: 64, batch_size: 1 } },
  2: { class_type: 'EmptyImage', inputs: { width: 16, height: 8, batch_size: 2, color: 0xff0000 } },
  3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: '%text%' } },
};

async function start() {
  const core = createCore({
    ...createTestHost({ schema: recordsSchema, clock: 'real' }),
    imageCodecs: nodeCodecs,
  });
  open = core;
  const ask = (input: RequestInfo | URL, init?: RequestInit) =>
    core.server.fetch(new Request(input, init), {
      ...CALL,
      listener: String(input).includes(':8188') ? 'image-workflows' : 'local-models',
    });
  const url = `http://127.0.0.1:8188/userdata/${encodeURIComponent('workflows/red.json')}`;
  await ask(url, { method: 'POST', body: JSON.stringify(GRAPH) });
  const client = new OpenAI({
    baseURL: 'http://127.0.0.1:11434/v1',
    apiKey: 'none',
    maxRetries: 0,
    fetch: ask,
  });
  return { client, ask };
}

const magic = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, 4));
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

it('draws by a saved graph, as base64 in each format', async () => {
  const { client } = await start();
  const png = await client.images.generate({ model: 'red', prompt: 'square' });
  expect(png.data).toHaveLength(2);
  expect(magic(fromBase64(png.data![0]!.b64_json!))).toBe('\x89PNG');
  const webp = await client.images.generate({ model: 'red.json', prompt: 'x', output_format: 'webp' });
  expect(magic(fromBase64(webp.data![0]!.b64_json!))).toBe('RIFF');
  expect(webp.output_format).toBe('webp');
});

it('gives addresses at the server that was asked', async () => {
  const { client, ask } = await start();
  const { data } = await client.images.generate({ model: 'red', prompt: 'a/b', response_format: 'url' });
  const url = new URL(data![0]!.url!);
  expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:11434\/v1\/images\/files\/b_00001_\.png\?subfolder=a$/);
  const file = await ask(url);
  expect(file.headers.get('content-type')).toBe('image/png');
  expect(magic(new Uint8Array(await file.arrayBuffer()))).toBe('\x89PNG');
  url.searchParams.set('subfolder', '../../records');
  expect((await ask(url)).status).toBe(404);
  expect((await ask(`${url.origin}/v1/images/files/x?type=input`)).status).toBe(404);
});

it('streams the completed images as events', async () => {
  const { client } = await start();
  const types: string[] = [];
  for await (const event of await client.images.generate({ model: 'red', prompt: 'x', stream: true })) {
    types.push(event.type);
    expect(event.b64_json).toMatch(/^iVBOR/);
  }
  expect(types).toEqual(['image_generation.completed', 'image_generation.completed']);
});

it.each([
  [{ prompt: '' }, 400, "Missing required parameter: 'prompt'"],
  [{ n: 0 }, 400, "Invalid value for 'n'"],
  [{ n: 1.5 }, 400, "Invalid value for 'n'"],
  [{ size: '8x8' }, 400, "Invalid value for 'size'"],
  [{ size: 'large' }, 400, "Invalid value for 'size'"],
  [{ size: 7 }, 400, "Invalid value for 'size'"],
  [{ output_format: 'bmp' }, 400, "Invalid value for 'output_format'"],
  [{ model: 'none' }, 404, "image model 'none' not found"],
  [{ model: '../red' }, 404, 'not found'],
  [{ model: undefined }, 404, 'no image model is installed'],
])('refuses %j with %i', async (fields, status, message) => {
  const { ask } = await start();
  const body = JSON.stringify({ model: 'red', prompt: 'x', ...fields });
  const response = await ask('http://127.0.0.1:11434/v1/images/generations', { method: 'POST', body });
  expect(response.status).toBe(status);
  const { error } = (await response.json()) as { error: { message: string; param: null } };
  expect(error.message).toContain(message);
});

it('refuses edits without an image, of saved graphs, and bodies that are no form', async () => {
  const { client, ask } = await start();
  const image = await toFile(fromBase64('iVBORw0KGgo='), 'a.png', { type: 'image/png' });
  await expect(client.images.edit({ model: 'red', prompt: 'x', image })).rejects.toThrow('makes images');
  await expect(client.images.edit({ model: 'none', prompt: 'x', image })).rejects.toThrow('not found');
  const post = (body: BodyInit) => ask('http://127.0.0.1:11434/v1/images/edits', { method: 'POST', body });
  expect((await post('{}')).status).toBe(400);
  const form = new FormData();
  form.set('prompt', 'x');
  expect(await (await post(form)).text()).toContain("Missing required parameter: 'image'");
});
