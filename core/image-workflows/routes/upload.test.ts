import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { pngPixel, RouteClient } from '#test/support/image-workflows/route-client.ts';

let client: RouteClient;
beforeEach(() => {
  client = new RouteClient();
});
afterEach(() => client.close());
const stored = async (path: string) => (await client.files.stat(path)) && client.files.read(path);

describe('POST /upload/image', () => {
  it('stores the same bytes once, and others under a number', async () => {
    const names = [];
    for (const bytes of [pngPixel(1), pngPixel(1), pngPixel(2), pngPixel(2), pngPixel(3)])
      names.push((await (await client.upload(bytes, 'x.png')).json()).name);
    expect(names).toEqual(['x.png', 'x.png', 'x (1).png', 'x (1).png', 'x (2).png']);
  });

  it('replaces a file when `overwrite` is set', async () => {
    for (const [value, overwrite] of [
      [1, 'false'],
      [2, 'true'],
      [3, '1'],
    ] as const)
      expect((await (await client.upload(pngPixel(value), 'x.png', { overwrite })).json()).name).toBe(
        'x.png',
      );
    expect(await stored('input/x.png')).toEqual(pngPixel(3));
  });

  it('stores into the folder and subfolder of the form, which it creates', async () => {
    const fields = { subfolder: 's/./t', type: 'temp' };
    expect(await (await client.upload(pngPixel(9), 'x.png', fields)).json()).toEqual({
      name: 'x.png',
      subfolder: 's/./t',
      type: 'temp',
    });
    expect(await stored('temp/s/t/x.png')).toEqual(pngPixel(9));
  });

  it('answers 400 when a file stands in the place of the subfolder, or a name is too long', async () => {
    await client.upload(pngPixel(1), 'blocker');
    const blocked = await client.upload(pngPixel(2), 'p.png', { subfolder: 'blocker' });
    expect([blocked.status, await blocked.json()]).toEqual([
      400,
      {
        error:
          'nothing can be stored under input/blocker/p.png: a file or folder is in the way, or a name is too long',
      },
    ]);
    expect((await client.upload(pngPixel(2), `${'n'.repeat(300)}.png`)).status).toBe(400);
  });

  it('does not replace a folder of that name, and takes names without an extension', async () => {
    await client.files.write('input/x/file', new Uint8Array(1));
    expect((await (await client.upload(pngPixel(1), 'x')).json()).name).toBe('x (1)');
    expect((await (await client.upload(pngPixel(1), '.hidden')).json()).name).toBe('.hidden');
    expect((await (await client.upload(pngPixel(2), '.hidden')).json()).name).toBe('.hidden (1)');
  });

  it('needs the folder of a path in the name', async () => {
    const refused = await client.upload(pngPixel(1), 'a/b.png');
    expect([refused.status, (await refused.json()).error]).toEqual([
      400,
      'there is no folder input/a: name it in the field subfolder, which creates it',
    ]);
    await client.files.makeFolder('input/a');
    expect((await (await client.upload(pngPixel(1), 'a/b.png')).json()).name).toBe('a/b.png');
  });

  it.each([
    ['x.png', { subfolder: '../..' }],
    ['../x.png', {}],
    ['a/../x.png', {}],
    ['x.png', { type: 'elsewhere' }],
  ])('refuses %s %j', async (name, fields) => {
    expect((await client.upload(pngPixel(1), name, fields as Record<string, string>)).status).toBe(400);
  });

  it('needs a form with an image', async () => {
    expect((await client.post('/upload/image', { a: 1 })).status).toBe(400);
    const withoutFile = new FormData();
    withoutFile.append('image', 'text');
    expect((await client.post('/upload/image', withoutFile)).status).toBe(400);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await client.post('/upload/image', 'no form', headers)).status).toBe(400);
  });

  it('refuses bodies beyond the limit in ComfyUI’s words', async () => {
    const large = await client.post('/upload/image', 'x', { 'content-length': '209715200' });
    expect([large.status, await large.text()]).toEqual([
      413,
      'Maximum request body size 104857600 exceeded.',
    ]);
    expect(large.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });
});

describe('POST /upload/mask', () => {
  const reference = (more: object = {}) => JSON.stringify({ filename: 'x.png', type: 'input', ...more });
  const uploadMask = (original_ref: string, mask = pngPixel(0, 55)) =>
    client.upload(mask, 'm.png', { original_ref }, 'mask');
  const errorOf = async (response: Response) => [response.status, (await response.json()).error];
  beforeEach(() =>
    client.files.write(
      'input/x.png',
      encodePng(
        { width: 1, height: 1, channels: 4, data: Uint8Array.of(7, 2, 3, 100) },
        { texts: { prompt: '{}' } },
      ),
    ),
  );

  it('stores the original with the mask’s opacity and its own texts', async () => {
    expect(await (await uploadMask(reference())).json()).toEqual({
      name: 'm.png',
      subfolder: '',
      type: 'input',
    });
    const { frames, texts } = await decodeImage((await stored('input/m.png'))!, undefined);
    expect([[...frames[0]!.data], texts]).toEqual([[7, 2, 3, 55], { prompt: '{}' }]);
  });

  it('looks for the original in the output by default, and in its subfolder', async () => {
    await client.files.write('output/s/x.png', pngPixel(9));
    await uploadMask(JSON.stringify({ filename: 'x.png', subfolder: 's' }));
    const { frames } = await decodeImage((await stored('input/m.png'))!, undefined);
    expect([...frames[0]!.data]).toEqual([9, 2, 3, 55]);
  });

  it('stores nothing without the original', async () => {
    expect((await uploadMask(reference({ filename: 'none.png' }))).status).toBe(200);
    expect(await stored('input/m.png')).toBeUndefined();
  });

  it.each([
    'null',
    '{}',
    '{"filename": 5}',
    reference({ type: 'models' }),
    reference({ subfolder: '..' }),
    reference({ filename: '../x' }),
  ])('refuses the reference %s', async (text) => {
    expect(await errorOf(await uploadMask(text))).toEqual([
      400,
      'original_ref names no image inside input, output or temp',
    ]);
  });

  it('refuses a reference that is no JSON, a mask of another size and other files', async () => {
    expect((await errorOf(await uploadMask('')))[1]).toContain('original_ref must be JSON');
    const wide = encodePng({ width: 2, height: 1, channels: 3, data: new Uint8Array(6) });
    expect(await errorOf(await uploadMask(reference(), wide))).toEqual([
      400,
      'the mask has 2 x 1 pixels, the image 1 x 1',
    ]);
    expect(await errorOf(await uploadMask(reference(), new Uint8Array(3)))).toEqual([
      400,
      'the mask cannot be used: the file is no PNG, JPEG, WebP or GIF image',
    ]);
  });
});
