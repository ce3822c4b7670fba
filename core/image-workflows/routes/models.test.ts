import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { pngPixel, RouteClient } from '#test/support/image-workflows/route-client.ts';

let client: RouteClient;
beforeEach(() => {
  const host = Object.assign(createTestHost({ clock: 'real' }), { imageCodecs: nodeCodecs });
  client = new RouteClient({ host });
});
afterEach(() => client.close());
const store = async (...paths: string[]) => {
  for (const path of paths) await client.files.write(path, new Uint8Array(10));
};
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe('GET /models', () => {
  it('lists folders, and models by the names that their loaders take', async () => {
    await store(
      'models/checkpoints/sd/unet/model.onnx',
      'models/checkpoints/sd/vae_decoder/model.onnx',
      'models/checkpoints/old.safetensors',
      'models/text_encoders/clip/model.onnx',
      'models/controlnet/edges.onnx',
      'models/vae/small/vae_decoder/model.onnx',
      'models/loras/style.safetensors',
    );
    const folders = await client.getJson('/models');
    expect(folders.slice(0, 3)).toEqual(['checkpoints', 'configs', 'loras']);
    const modelsIn = (folder: string) => client.getJson(`/models/${folder}`);
    expect(await modelsIn('checkpoints')).toEqual(['old.safetensors', 'sd']);
    expect(await modelsIn('text_encoders')).toEqual(['clip']);
    expect(await modelsIn('controlnet')).toEqual(['edges.onnx']);
    expect(await modelsIn('vae')).toEqual(['small']);
    expect(await modelsIn('loras')).toEqual(['style.safetensors']);
    for (const folder of ['nothing', 'unet'])
      expect((await client.get(`/models/${folder}`)).status).toBe(404);
  });

  it('lists embeddings without their extension', async () => {
    await store('models/embeddings/a.b.safetensors', 'models/embeddings/s/c.pt');
    expect(await client.getJson('/embeddings')).toEqual(['a.b', 's/c']);
  });
});

describe('GET /experiment/models', () => {
  it('describes installed and saved models, with all files of a folder', async () => {
    await store('models/checkpoints/sd/unet/model.onnx', 'models/checkpoints/sd/vae_decoder/model.onnx');
    await store('models/checkpoints/old.safetensors');
    expect(await client.getJson('/experiment/models/checkpoints')).toMatchObject([
      { name: 'old.safetensors', pathIndex: 0, size: 10 },
      { name: 'sd', pathIndex: 0, size: 20 },
    ]);
    await store('models/loras/style.safetensors', 'models/loras/.hidden.safetensors');
    await store('output/loras/mine_00001_.safetensors', 'output/loras/mine_00001_.png');
    const loras = await client.getJson('/experiment/models/loras');
    expect(loras).toMatchObject([
      { name: 'mine_00001_.safetensors', pathIndex: 1, size: 10 },
      { name: 'style.safetensors', pathIndex: 0, size: 10 },
    ]);
    const { modifiedAt } = (await client.files.stat('models/loras/style.safetensors'))!;
    expect(loras[1].modified).toBe(modifiedAt / 1000);
    expect((await client.get('/experiment/models/nothing')).status).toBe(404);
  });

  it('names the locations of each folder, except configs and custom nodes', async () => {
    const folders = (await client.getJson('/experiment/models')) as { name: string; folders: string[] }[];
    const locations = new Map(folders.map(({ name, folders: paths }) => [name, paths]));
    expect(locations.get('loras')).toEqual(['models/loras', 'output/loras']);
    expect([locations.has('configs'), locations.has('custom_nodes')]).toEqual([false, false]);
    expect(await client.getJson('/internal/folder_paths')).toMatchObject({
      text_encoders: ['models/text_encoders', 'models/clip', 'output/clip'],
      controlnet: ['models/controlnet', 'models/t2i_adapter'],
      configs: ['models/configs'],
    });
  });

  it('shows the image of a model’s name as WebP', async () => {
    await store('models/loras/a.b.safetensors', 'models/loras/other.png');
    const preview = (path: string) => client.get(`/experiment/models/preview/loras/${path}`);
    expect((await preview('0/a.b.safetensors')).status).toBe(404);
    await client.files.write('models/loras/a.b.preview.png', pngPixel(1));
    const response = await preview('0/a.b.safetensors');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(String.fromCharCode(...bytes.subarray(8, 12))).toBe('WEBP');
  });

  it('looks for previews in the location of the index', async () => {
    await store('output/loras/mine.safetensors', 'output/loras/mine.png');
    const status = async (path: string) => (await client.get(`/experiment/models/preview/${path}`)).status;
    // The file is found, but it is no image.
    expect(await status('loras/1/mine.safetensors')).toBe(400);
    expect(await status('loras/2/mine.safetensors')).toBe(404);
    expect(await status('nothing/0/mine.safetensors')).toBe(404);
  });
});

describe('GET /view_metadata', () => {
  const metadata = (folder: string, filename: string) =>
    client.get(`/view_metadata/${folder}?filename=${filename}`);
  const safetensors = (header: string, length = header.length) => {
    const bytes = new Uint8Array(8 + header.length);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
    bytes.set(new TextEncoder().encode(header), 8);
    return bytes;
  };

  it('reads the header of a safetensors file', async () => {
    await client.files.write(
      'models/loras/a.safetensors',
      safetensors('{"__metadata__": {"ss_tag": "x"}, "w": {}}'),
    );
    expect(await (await metadata('loras', 'a.safetensors')).json()).toEqual({ ss_tag: 'x' });
  });

  it.each([
    ['has no metadata', safetensors('{"w": {}}')],
    ['is damaged', safetensors('{"w"')],
    ['is too short', new Uint8Array(7)],
    ['has a header beyond 1 MiB', safetensors('{"__metadata__": {}}', 2 ** 20 + 1)],
  ])('is 404 for a file that %s', async (_, bytes) => {
    await client.files.write('models/loras/a.safetensors', bytes);
    expect((await metadata('loras', 'a.safetensors')).status).toBe(404);
  });

  it('returns the image size of a model in a folder', async () => {
    for (const [name, config] of [
      ['small', { sample_size: 16 }],
      ['silent', {}],
      ['fine', { sample_size: 16 }],
    ] as const) {
      await client.files.write(`models/checkpoints/${name}/unet/model.onnx`, new Uint8Array(1));
      await client.files.write(`models/checkpoints/${name}/unet/config.json`, json(config));
    }
    // An autoencoder with a layer less, as that of the x4 upscaler.
    const layers = json({ block_out_channels: [1, 2, 3] });
    await client.files.write('models/checkpoints/fine/vae_decoder/config.json', layers);
    expect(await (await metadata('checkpoints', 'small')).json()).toEqual({
      'modelspec.resolution': '128x128',
    });
    expect(await (await metadata('checkpoints', 'fine')).json()).toEqual({ 'modelspec.resolution': '64x64' });
    for (const name of ['silent', 'none', '..', ''])
      expect((await metadata('checkpoints', name)).status).toBe(404);
    expect((await metadata('nothing', 'small')).status).toBe(404);
  });
});
