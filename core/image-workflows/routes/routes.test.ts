import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';

let server: ReturnType<typeof imageServer>;
beforeEach(() => {
  server = imageServer();
});
afterEach(() => server.close());

const png = (value: number, alpha?: number) => {
  const pixel = alpha === undefined ? [value, 2, 3] : [value, 2, 3, alpha];
  return encodePng({
    width: 1,
    height: 1,
    channels: alpha === undefined ? 3 : 4,
    data: Uint8Array.from(pixel),
  });
};
const upload = (
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  fields: Record<string, string> = {},
  kind = 'image',
) => {
  const form = new FormData();
  form.append('image', new Blob([bytes]), name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  return server.ask('POST', `/upload/${kind}`, form);
};
const get = (path: string, headers: Record<string, string> = {}) =>
  server.ask('GET', path, undefined, headers);
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe('/upload and /view', () => {
  it('the same bytes are kept once, others beside them', async () => {
    const names = [];
    for (const bytes of [png(1), png(1), png(2), png(2)])
      names.push(await (await upload(bytes, 'x.png')).json());
    expect(names.map(({ name }) => name)).toEqual(['x.png', 'x.png', 'x (1).png', 'x (1).png']);
    expect(await (await upload(png(9), 'x.png', { overwrite: 'true', subfolder: 's/t' })).json()).toEqual({
      name: 'x.png',
      subfolder: 's/t',
      type: 'input',
    });
    const back = await get('/view?filename=x.png&type=input&subfolder=s/t');
    expect(await bytesOf(back)).toEqual(png(9));
    expect(back.headers.get('content-disposition')).toBe('filename="x.png"');
    expect(back.headers.get('content-type')).toBe('image/png');
    expect(await bytesOf(await get('/view?filename=x.png%20[input]'))).toEqual(png(1));
  });

  it.each([
    ['x.png', { subfolder: '../..' }],
    ['../x.png', {}],
    ['x.png', { type: 'elsewhere' }],
    ['a/b.png', {}],
  ])('an upload %s %j is refused', async (name, fields) => {
    expect((await upload(png(1), name, fields as Record<string, string>)).status).toBe(400);
  });

  it('no form, no picture, too much', async () => {
    expect((await server.ask('POST', '/upload/image', { a: 1 })).status).toBe(400);
    const large = await server.ask('POST', '/upload/image', 'x', { 'content-length': '209715200' });
    expect(large.status).toBe(413);
    expect(await large.text()).toBe('Maximum request body size 104857600 exceeded.');
  });

  it.each([
    ['/view', 404],
    ['/view?filename=', 400],
    ['/view?filename=x.png&type=zzz', 400],
    ['/view?filename=/etc/passwd&type=input', 400],
    ['/view?filename=..%2Fx&type=input', 400],
    ['/view?filename=passwd&type=input&subfolder=../../etc', 403],
    ['/view?filename=passwd&type=input&subfolder=/etc', 403],
    ['/view?filename=nope.png&type=input', 404],
  ])('%s is %i, without a body', async (path, status) => {
    const response = await get(path);
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it('gives parts, and nothing when it is known', async () => {
    await upload(png(1), 'x.png');
    const path = '/view?filename=x.png&type=input';
    const whole = await bytesOf(await get(path));
    const part = await get(path, { range: 'bytes=2-5' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 2-5/${whole.length}`]);
    expect(await bytesOf(part)).toEqual(whole.slice(2, 6));
    expect(await bytesOf(await get(path, { range: 'bytes=-3' }))).toEqual(whole.slice(-3));
    const bad = await get(path, { range: 'bytes=99999-' });
    expect([bad.status, bad.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
    const etag = (await get(path)).headers.get('etag')!;
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('gives channels, and masks take the opacity of an upload', async () => {
    await upload(png(7, 100), 'x.png');
    const shown = async (query: string) => {
      const bytes = await bytesOf(await get(`/view?filename=x.png&type=input&${query}`));
      return [...(await decodeImage(bytes, undefined)).frames[0]!.data];
    };
    expect(await shown('channel=rgb')).toEqual([7, 2, 3]);
    expect(await shown('channel=a')).toEqual([0, 0, 0, 100]);
    const reference = JSON.stringify({ filename: 'x.png', type: 'input' });
    expect((await upload(png(0, 55), 'm.png', { original_ref: reference }, 'mask')).status).toBe(200);
    const masked = await bytesOf(await get('/view?filename=m.png&type=input'));
    expect([...(await decodeImage(masked, undefined)).frames[0]!.data]).toEqual([7, 2, 3, 55]);
    const missing = JSON.stringify({ filename: 'nope.png' });
    expect((await upload(png(0, 55), 'n.png', { original_ref: missing }, 'mask')).status).toBe(200);
    expect((await get('/view?filename=n.png&type=input')).status).toBe(404);
    expect((await upload(png(0, 55), 'n.png', {}, 'mask')).status).toBe(400);
  });

  it('what is no picture has no preview', async () => {
    await upload(new Uint8Array([1, 2, 3]), 'x.txt');
    expect((await get('/view?filename=x.txt&type=input&preview=webp')).status).toBe(400);
  });
});

describe('settings and files of the user', () => {
  it('settings are merged, one by one or together', async () => {
    expect(await (await get('/settings')).json()).toEqual({});
    await server.ask('POST', '/settings', { a: 1, b: 'x' });
    await server.ask('POST', '/settings/c', '[1, 2]');
    expect(await (await get('/settings')).json()).toEqual({ a: 1, b: 'x', c: [1, 2] });
    expect(await (await get('/settings/c')).json()).toEqual([1, 2]);
    expect(await (await get('/settings/none')).json()).toBeNull();
    expect((await server.ask('POST', '/settings/d', 'no json')).status).toBe(400);
  });

  it('files are written, listed, moved, deleted', async () => {
    expect(await (await server.ask('POST', '/userdata/workflows%2Fa.json', '{}')).json()).toBe(
      'workflows/a.json',
    );
    await server.ask('POST', '/userdata/workflows%2Fb.json', '{}');
    expect((await server.ask('POST', '/userdata/workflows%2Fa.json?overwrite=false', 'x')).status).toBe(409);
    expect((await server.ask('POST', '/userdata/workflows/c.json', 'x')).status).toBe(405);
    expect((await server.ask('POST', '/userdata/..%2F..%2Fevil', 'x')).status).toBe(403);
    expect(await (await get('/userdata?dir=workflows')).json()).toEqual(['a.json', 'b.json']);
    const tree = (await (await get('/v2/userdata')).json()) as { path: string; type: string }[];
    expect(tree.map(({ path, type }) => `${type} ${path}`)).toEqual([
      'directory workflows',
      'file workflows/a.json',
      'file workflows/b.json',
    ]);
    const move = '/userdata/workflows%2Fb.json/move/workflows%2Fd.json';
    expect(await (await server.ask('POST', move)).json()).toBe('workflows/d.json');
    expect((await server.ask('POST', move)).status).toBe(404);
    expect(await (await get('/userdata/workflows%2Fd.json')).text()).toBe('{}');
    expect((await server.ask('DELETE', '/userdata/workflows%2Fd.json')).status).toBe(204);
    expect((await server.ask('DELETE', '/userdata/workflows%2Fd.json')).status).toBe(404);
  });

  it.each([
    ['/userdata', 400, 'Directory not provided'],
    ['/userdata?dir=nope', 404, 'Directory not found'],
    ['/userdata?dir=../..', 403, 'Invalid directory'],
    ['/v2/userdata?path=../..', 400, 'Invalid path requested'],
    ['/v2/userdata?path=nope', 404, 'Requested path not found'],
  ])('%s is %i', async (path, status, text) => {
    const response = await get(path);
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});

describe('models', () => {
  it('a model that is a folder tells the size of its pictures', async () => {
    const { files } = server.host;
    const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    for (const [name, config] of [
      ['small', { sample_size: 16 }],
      ['silent', {}],
    ] as const) {
      await files.write(`models/checkpoints/${name}/unet/model.onnx`, new Uint8Array(1));
      await files.write(`models/checkpoints/${name}/unet/config.json`, text(config));
    }
    // An autoencoder with a layer less, as that of the x4 upscaler.
    await files.write('models/checkpoints/fine/unet/model.onnx', new Uint8Array(1));
    await files.write('models/checkpoints/fine/unet/config.json', text({ sample_size: 16 }));
    const layers = { block_out_channels: [1, 2, 3] };
    await files.write('models/checkpoints/fine/vae_decoder/config.json', text(layers));
    const fine = await get('/view_metadata/checkpoints?filename=fine');
    expect(await fine.json()).toEqual({ 'modelspec.resolution': '64x64' });
    const told = await get('/view_metadata/checkpoints?filename=small');
    expect(await told.json()).toEqual({ 'modelspec.resolution': '128x128' });
    for (const name of ['silent', 'none', '..']) {
      expect((await get(`/view_metadata/checkpoints?filename=${name}`)).status).toBe(404);
    }
  });

  it('are listed by the names that their loaders take: folders with graphs, and files alone', async () => {
    const { files } = server.host;
    for (const path of [
      'checkpoints/sd/unet/model.onnx',
      'checkpoints/sd/vae_decoder/model.onnx',
      'checkpoints/old.safetensors',
      'text_encoders/clip/model.onnx',
      'controlnet/edges.onnx',
      'vae/small/vae_decoder/model.onnx',
      'loras/style.safetensors',
    ])
      await files.write(`models/${path}`, new Uint8Array(10));
    const listed = async (folder: string) => (await get(`/models/${folder}`)).json();
    expect(await listed('checkpoints')).toEqual(['old.safetensors', 'sd']);
    expect(await listed('text_encoders')).toEqual(['clip']);
    expect(await listed('controlnet')).toEqual(['edges.onnx']);
    expect(await listed('vae')).toEqual(['small']);
    expect(await listed('loras')).toEqual(['style.safetensors']);
    const told = (await (await get('/experiment/models/checkpoints')).json()) as object[];
    expect(told).toMatchObject([
      { name: 'old.safetensors', pathIndex: 0, size: 10 },
      { name: 'sd', pathIndex: 0, size: 20 },
    ]);
  });

  it('are listed from where they were saved, too', async () => {
    const { files } = server.host;
    await files.write('models/loras/style.safetensors', new Uint8Array(10));
    await files.write('output/loras/mine_00001_.safetensors', new Uint8Array(7));
    await files.write('output/loras/mine_00001_.png', new Uint8Array(3));
    expect(await (await get('/models/loras')).json()).toEqual([
      'mine_00001_.safetensors',
      'style.safetensors',
    ]);
    expect(await (await get('/experiment/models/loras')).json()).toMatchObject([
      { name: 'mine_00001_.safetensors', pathIndex: 1, size: 7 },
      { name: 'style.safetensors', pathIndex: 0, size: 10 },
    ]);
    const folders = (await (await get('/experiment/models')).json()) as { name: string; folders: string[] }[];
    expect(folders.find(({ name }) => name === 'loras')?.folders).toEqual(['models/loras', 'output/loras']);
    expect(await (await get('/internal/folder_paths')).json()).toMatchObject({
      text_encoders: ['models/text_encoders', 'output/clip'],
      controlnet: ['models/controlnet'],
    });
    // It is found, and is no picture.
    expect((await get('/experiment/models/preview/loras/1/mine_00001_.safetensors')).status).toBe(400);
    expect((await get('/experiment/models/preview/loras/2/mine_00001_.safetensors')).status).toBe(404);
  });
});

describe('what was made', () => {
  const picture = (prefix: string, color: number) => ({
    '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 2, color } },
    '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: prefix } },
  });
  const names = (outputs: Record<string, Record<string, unknown[]>>) =>
    (outputs['2']!.images as { filename: string; subfolder: string }[]).map(
      ({ filename, subfolder }) => `${subfolder}:${filename}`,
    );

  it('is named and numbered by its prefix', async () => {
    expect(names((await server.run(picture('a/x_%width%', 1))).entry.outputs)).toEqual([
      'a:x_8_00001_.png',
      'a:x_8_00002_.png',
    ]);
    await server.host.files.write('output/a/x_8_00010_zzz.png', new Uint8Array(1));
    expect(names((await server.run(picture('a/x_%width%', 2))).entry.outputs)[0]).toBe('a:x_8_00011_.png');
    expect(names((await server.run(picture('', 3))).entry.outputs)[0]).toBe(':._00001_.png');
    const outside = await server.run(picture('../x', 4));
    expect(outside.entry.status.messages.at(-1)![1].exception_message).toContain('outside the output folder');
  });

  it('is listed, deleted and pruned', async () => {
    await server.run(picture('x', 1));
    await server.host.files.write('output/old/y.png', new Uint8Array(1000));
    expect(((await (await get('/internal/files/output')).json()) as string[]).sort()).toEqual([
      'x_00001_.png',
      'x_00002_.png',
    ]);
    expect(await (await get('/internal/files/output?full_info=true')).json()).toHaveLength(3);
    expect((await server.ask('DELETE', '/internal/files/output/old/y.png')).status).toBe(204);
    expect((await server.ask('DELETE', '/internal/files/output/old/y.png')).status).toBe(404);
    expect((await get('/internal/files/zzz')).status).toBe(400);
    expect((await server.ask('POST', '/internal/files/output/prune', {})).status).toBe(400);
    expect(
      await (await server.ask('POST', '/internal/files/output/prune', { older_than_days: 1 })).json(),
    ).toMatchObject({
      deleted: 0,
    });
    expect(
      await (await server.ask('POST', '/internal/files/output/prune', { max_bytes: 0 })).json(),
    ).toMatchObject({
      deleted: 2,
      remaining_bytes: 0,
    });
  });

  it('is not pruned where it is a saved model', async () => {
    const { files } = server.host;
    const saved = [
      'checkpoints/x_00001_/unet/model.onnx',
      'clip/x_00001_/config.json',
      'loras/x.safetensors',
    ];
    for (const name of [...saved, 'old/y.png']) await files.write(`output/${name}`, new Uint8Array(1000));
    const pruned = await server.ask('POST', '/internal/files/output/prune', { max_bytes: 0 });
    expect(await pruned.json()).toEqual({ deleted: 1, freed_bytes: 1000, remaining_bytes: 0 });
    for (const name of saved) expect(await files.stat(`output/${name}`)).toBeDefined();
    expect(await files.stat('output/old/y.png')).toBeUndefined();
  });

  it('is found as a job', async () => {
    const { id } = await server.run(picture('x', 1), {
      extra_data: { extra_pnginfo: { workflow: { id: 'w' } } },
    });
    const listed = (await (await get('/api/jobs?status=completed&workflow_id=w')).json()) as {
      jobs: Record<string, unknown>[];
      pagination: unknown;
    };
    expect(listed.jobs).toHaveLength(1);
    expect(listed.jobs[0]).toMatchObject({ id, status: 'completed', outputs_count: 2, workflow_id: 'w' });
    expect(listed.pagination).toEqual({ offset: 0, limit: null, total: 1, has_more: false });
    expect(await (await get(`/api/jobs/${id}`)).json()).toMatchObject({
      id,
      preview_output: { nodeId: '2' },
    });
    expect((await get('/api/jobs/none')).status).toBe(404);
    expect((await get('/api/jobs?status=zzz')).status).toBe(400);
    expect((await get('/api/jobs?limit=x')).status).toBe(400);
  });
});
