import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { pngPixel, RouteClient } from '#test/support/image-workflows/route-client.ts';

let client: RouteClient;
beforeEach(() => {
  const host = Object.assign(createTestHost({ clock: 'real' }), { imageCodecs: nodeCodecs });
  client = new RouteClient({ host });
});
afterEach(() => client.close());
const store = (path: string, bytes = pngPixel(1)) => client.files.write(path, bytes);
const statusAndText = async (path: string) => {
  const response = await client.get(path);
  return [response.status, await response.text()];
};

describe('GET /view', () => {
  it('sends a file as it is stored, with its name and type', async () => {
    await store('input/s/t/x.png', pngPixel(9));
    const response = await client.get('/view?filename=x.png&type=input&subfolder=s/t');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(pngPixel(9));
    expect(response.headers.get('content-disposition')).toBe('filename="x.png"');
    expect(response.headers.get('content-type')).toBe('image/png');
  });

  it('looks in the output, in the folder of the query, or in the one in brackets', async () => {
    await store('output/x.png', pngPixel(1));
    await store('temp/x.png', pngPixel(2));
    expect(await client.getBytes('/view?filename=x.png')).toEqual(pngPixel(1));
    expect(await client.getBytes('/view?filename=x.png&type=temp')).toEqual(pngPixel(2));
    expect(await client.getBytes('/view?filename=x.png%20[temp]&type=output')).toEqual(pngPixel(2));
  });

  it('ignores folders in the name', async () => {
    await store('output/x.png', pngPixel(1));
    expect(await client.getBytes('/view?filename=some/where/x.png')).toEqual(pngPixel(1));
  });

  it('writes names beyond ASCII as UTF-8 into the header', async () => {
    await store('output/ž".png');
    const response = await client.get(`/view?filename=${encodeURIComponent('ž".png')}`);
    expect(response.headers.get('content-disposition')).toBe('filename="Å¾_.png"');
  });

  it.each(['/view?filename=x.png', '/view?filename=x.png&channel=a'])(
    '%s is 404 when the file is deleted before it is read',
    async (path) => {
      await store('output/x.png');
      const { stat } = client.files;
      vi.spyOn(client.files, 'stat').mockImplementationOnce(async (path) => {
        const info = await stat.call(client.files, path);
        await client.files.delete(path);
        return info;
      });
      expect(await statusAndText(path)).toEqual([404, '']);
    },
  );

  it.each([
    ['/view', 404],
    ['/view?filename=', 400],
    ['/view?filename=x.png&type=zzz', 400],
    ['/view?filename=/etc/passwd&type=input', 400],
    ['/view?filename=..%2Fx&type=input', 400],
    ['/view?filename=passwd&type=input&subfolder=../../etc', 403],
    ['/view?filename=passwd&type=input&subfolder=/etc', 403],
    ['/view?filename=nope.png&type=input', 404],
    ['/view?filename=nope.png&type=input&channel=a', 404],
    ['/view?filename=a/', 404],
  ])('%s is %i without a body', async (path, status) => {
    expect(await statusAndText(path)).toEqual([status, '']);
  });
});

describe('channels and previews', () => {
  const decoded = async (query: string) => {
    const response = await client.get(`/view?filename=x.png&${query}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const { format, frames } = await decodeImage(bytes, nodeCodecs);
    expect(response.headers.get('content-type')).toBe(`image/${format}`);
    return { format, ...frames[0]!, bytes };
  };
  beforeEach(() => store('output/x.png', pngPixel(7, 100)));

  it('contain the colors alone, or black with the opacity', async () => {
    expect(await decoded('channel=rgb')).toMatchObject({ format: 'png', data: Uint8Array.of(7, 2, 3) });
    expect(await decoded('channel=a')).toMatchObject({ format: 'png', data: Uint8Array.of(0, 0, 0, 100) });
  });

  it('send the file itself for other channels', async () => {
    expect(await client.getBytes('/view?filename=x.png&channel=rgba')).toEqual(pngPixel(7, 100));
  });

  it('are WebP with opacity, or JPEG without', async () => {
    expect(await decoded('preview=webp;90')).toMatchObject({ format: 'webp', channels: 4 });
    expect(await decoded('preview=webp;90&channel=rgb')).toMatchObject({ format: 'webp', channels: 3 });
    expect(await decoded('preview=jpeg;90')).toMatchObject({ format: 'jpeg', channels: 3 });
    expect(await decoded('preview=jpeg;90&channel=rgba')).toMatchObject({ format: 'webp', channels: 4 });
    expect(await decoded('preview=other')).toMatchObject({ format: 'webp' });
  });

  it('have the requested quality, by default 90', async () => {
    const data = Uint8Array.from({ length: 64 * 64 * 3 }, (_, at) => (at * 7919) & 255);
    await store('output/x.png', encodePng({ width: 64, height: 64, channels: 3, data }));
    const size = async (preview: string) => (await decoded(`preview=${preview}`)).bytes.length;
    expect(await size('jpeg;10')).toBeLessThan(await size('jpeg;90'));
    expect(await size('jpeg')).toBe(await size('jpeg;90'));
    expect(await size('jpeg;0')).toBe(await size('jpeg;1'));
    expect(await size('webp;999')).toBe(await size('webp;100'));
  });

  it('do not exist for other files', async () => {
    await store('output/x.txt', new Uint8Array([1, 2, 3]));
    const response = await client.get('/view?filename=x.txt&preview=webp');
    expect(response.status).toBe(400);
    expect((await response.json()).error).toBe(
      'no preview of x.txt: the file is no PNG, JPEG, WebP or GIF image',
    );
  });
});

describe('a stored file', () => {
  const path = '/view?filename=x.png';
  beforeEach(() => store('output/x.png', pngPixel(5)));

  it('is sent in part when a range is requested', async () => {
    const file = pngPixel(5);
    const part = await client.get(path, { range: 'bytes=2-5' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 2-5/${file.length}`]);
    expect([part.headers.get('content-length'), part.headers.get('accept-ranges')]).toEqual(['4', 'bytes']);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(file.slice(2, 6));
    const read = async (range: string) =>
      new Uint8Array(await (await client.get(path, { range })).arrayBuffer());
    expect(await read('bytes=-3')).toEqual(file.slice(-3));
    expect(await read('bytes=4-')).toEqual(file.slice(4));
    expect(await read('bytes=4-99999')).toEqual(file.slice(4));
    expect(await read('bytes=-99999')).toEqual(file);
  });

  it.each(['bytes=99999-', 'bytes=5-4', 'bytes=-', 'bytes=-0', 'bytes=0-1,3-4', 'lines=0-1'])(
    'refuses the range %s',
    async (range) => {
      const response = await client.get(path, { range });
      const expected = [416, `bytes */${pngPixel(5).length}`];
      expect([response.status, response.headers.get('content-range')]).toEqual(expected);
    },
  );

  it('is not sent again to a client that has it', async () => {
    const { headers } = await client.get(path);
    const etag = headers.get('etag')!;
    const modified = headers.get('last-modified')!;
    const status = async (condition: Record<string, string>) => (await client.get(path, condition)).status;
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await status({ 'if-none-match': '*' })).toBe(304);
    expect(await status({ 'if-none-match': '"other"' })).toBe(200);
    expect(await status({ 'if-modified-since': modified })).toBe(304);
    expect(await status({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(200);
    expect(await status({ 'if-none-match': '"other"', 'if-modified-since': modified })).toBe(200);
    expect(await status({ 'if-modified-since': 'no date' })).toBe(200);
  });

  it('is sent as a whole when it changed since the range was begun', async () => {
    const { headers } = await client.get(path);
    const status = async (condition: string) =>
      (await client.get(path, { range: 'bytes=0-1', 'if-range': condition })).status;
    expect(await status(headers.get('etag')!)).toBe(206);
    expect(await status(headers.get('last-modified')!)).toBe(206);
    expect(await status('"other"')).toBe(200);
    expect(await status('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(200);
  });

  it('has another tag after a change', async () => {
    const before = (await client.get(path)).headers.get('etag');
    await store(
      'output/x.png',
      encodePng({ width: 1, height: 1, channels: 3, data: new Uint8Array(3) }, { texts: { a: 'b' } }),
    );
    expect((await client.get(path)).headers.get('etag')).not.toBe(before);
  });

  it('answers HEAD with its headers', async () => {
    const response = await client.server.ask('HEAD', path);
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      ...[200, String(pngPixel(5).length), ''],
    ]);
  });
});
