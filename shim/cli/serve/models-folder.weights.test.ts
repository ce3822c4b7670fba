import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defaultGraph, emojiFolder } from '#test/support/model-files/emoji-model.ts';
import { parseArguments } from '../arguments.ts';
import { serve } from './serve.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: string;
const stops: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'tabd-models-folder-'));
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await rm(place, { recursive: true, force: true });
});

/** Serves until the test ends. Returns functions that send requests to the image port. */
async function start(...options: string[]) {
  const stop = new AbortController();
  let text = '';
  const out = { write: (more: string) => (text += more) };
  const args = parseArguments(['serve', '--ports', 'app=off,0,0,0', '--no-pull', ...options]);
  const io = { env: { PLACE: place }, out, stop: stop.signal, force: AbortSignal.timeout(100_000) };
  const done = serve({ ...args, home: join(place, 'home') }, io);
  stops.push(() => {
    stop.abort();
    return Promise.allSettled([done]);
  });
  await Promise.race([expect.poll(() => text, { timeout: 20_000 }).toContain('Ctrl+C stops.'), done]);
  const address = /ComfyUI API +(http\S+)/.exec(text)?.[1] ?? '';
  const get = (path: string) => fetch(`${address}${path}`);
  return { address, get, json: async (path: string) => (await get(path)).json() };
}

type Running = Awaited<ReturnType<typeof start>>;

const checkpointsIn = async ({ json }: Running) =>
  (await json('/object_info/CheckpointLoaderSimple')).CheckpointLoaderSimple.input.required.ckpt_name[0];

/** A safetensors file without tensors. */
const safetensors = (metadata: object) => {
  const header = new TextEncoder().encode(JSON.stringify({ __metadata__: metadata }));
  const length = new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer);
  return new Uint8Array([...length, ...header]);
};

it('lists and runs the models of an installation, and sees new ones at the next request', async () => {
  const models = join(place, 'ui/models');
  await cp(emojiFolder, join(models, 'checkpoints/drawn/by me/emoji'), { recursive: true });
  await mkdir(join(models, 'unet'));
  await writeFile(join(models, 'unet/net.safetensors'), safetensors({ kind: 'old' }));
  const running = await start('--models-folder', models);
  const { address, get, json } = running;
  expect(await checkpointsIn(running)).toEqual(['drawn/by me/emoji']);
  expect(await json('/models/checkpoints')).toEqual(['drawn/by me/emoji']);
  expect(await json('/models/diffusion_models')).toEqual(['net.safetensors']);
  const details = await json('/experiment/models/diffusion_models');
  const folders: { name: string; folders: string[] }[] = await json('/api/experiment/models');
  const { folders: locations } = folders.find(({ name }) => name === 'diffusion_models')!;
  expect(details).toMatchObject([{ name: 'net.safetensors' }]);
  expect(locations[details[0].pathIndex]).toBe('external/models/unet');

  const graph = defaultGraph({ checkpoint: 'drawn/by me/emoji', steps: 1 });
  const sent = await fetch(`${address}/prompt`, { method: 'POST', body: JSON.stringify({ prompt: graph }) });
  expect(sent.status).toBe(200);
  const { prompt_id } = await sent.json();
  const entry = async () => (await json(`/history/${prompt_id}`))[prompt_id];
  await expect.poll(entry, { timeout: 100_000, interval: 200 }).toMatchObject({
    status: { status_str: 'success' },
    outputs: { '9': { images: [{ filename: 'drawn_00001_.png' }] } },
  });

  await mkdir(join(models, 'loras/sub'), { recursive: true });
  await writeFile(join(models, 'loras/sub/new.safetensors'), safetensors({ kind: 'new' }));
  expect(await json('/models/loras')).toEqual(['sub/new.safetensors']);
  const lora = await json('/object_info/LoraLoader');
  expect(lora.LoraLoader.input.required.lora_name[0]).toEqual(['sub/new.safetensors']);
  const metadata = (name: string) => get(`/view_metadata/loras?filename=${encodeURIComponent(name)}`);
  expect(await (await metadata('sub/new.safetensors')).json()).toEqual({ kind: 'new' });
  for (const name of ['../unet/net.safetensors', '/etc/passwd', 'sub/../../unet/net.safetensors'])
    expect((await metadata(name)).status).toBe(404);
});

it('reads the extra_model_paths.yaml of the home, and those of the command line', async () => {
  await mkdir(join(place, 'home'));
  for (const path of ['a/nets/x.safetensors', 'b/y.safetensors', 'b/notes.txt', 'first/x.safetensors']) {
    await mkdir(join(place, path, '..'), { recursive: true });
    await writeFile(join(place, path), safetensors({ path }));
  }
  await writeFile(
    join(place, 'home/extra_model_paths.yaml'),
    'ui:\n  base_path: $PLACE/a\n  unet: |\n    nets\n    missing\n  my_kind: ../b\n',
  );
  const more = join(place, 'more.yaml');
  await writeFile(more, 'more: {is_default: true, diffusion_models: first}');
  const { json } = await start('--extra-model-paths-config', more);
  expect(await json('/models/diffusion_models')).toEqual(['x.safetensors']);
  const x = await json('/view_metadata/diffusion_models?filename=x.safetensors');
  expect(x).toEqual({ path: 'first/x.safetensors' });
  expect((await json('/models')).at(-1)).toBe('my_kind');
  expect(await json('/models/my_kind')).toEqual(['notes.txt', 'y.safetensors']);
  expect(await json('/internal/folder_paths')).toMatchObject({
    my_kind: ['models/my_kind', 'external/ui-my_kind'],
    diffusion_models: [
      ...['external/more-diffusion_models', 'models/diffusion_models', 'models/unet'],
      ...['external/ui-unet', 'external/ui-unet-2', 'output/diffusion_models'],
    ],
  });
});
