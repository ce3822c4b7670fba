import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RouteClient } from '#test/support/image-workflows/route-client.ts';

let client: RouteClient;
beforeEach(() => {
  client = new RouteClient();
});
afterEach(() => client.close());
const write = (path: string, content = '{}') => client.post(`/userdata/${encodeURIComponent(path)}`, content);
const remove = (path: string) => client.server.ask('DELETE', `/userdata/${path}`);
const statusAndText = async (response: Response) => [response.status, await response.text()];

describe('files of the user', () => {
  it('are written and read by their encoded path', async () => {
    expect(await (await write('workflows/a.json', '{"x": 1}')).json()).toBe('workflows/a.json');
    expect(await (await client.get('/userdata/workflows%2Fa.json')).text()).toBe('{"x": 1}');
    expect(await client.files.stat('user/default/workflows/a.json')).toMatchObject({ kind: 'file', size: 8 });
  });

  it('are replaced, unless the client says otherwise', async () => {
    await write('a.json', '1');
    expect((await write('a.json', '2')).status).toBe(200);
    expect(await statusAndText(await client.post('/userdata/a.json?overwrite=false', '3'))).toEqual([
      ...[409, 'File already exists'],
    ]);
    expect(await (await client.get('/userdata/a.json')).text()).toBe('2');
  });

  it('do not replace a folder', async () => {
    await write('f/a.json');
    expect(await statusAndText(await write('f'))).toEqual([409, 'There is a folder of that name']);
  });

  it('are described in full on request, with times in seconds', async () => {
    const info = await (await client.post('/userdata/a.json?full_info=TRUE', 'abc')).json();
    expect(info).toMatchObject({ path: 'a.json', size: 3 });
    const { modifiedAt, createdAt } = (await client.files.stat('user/default/a.json'))!;
    expect([info.modified, info.created]).toEqual([modifiedAt / 1000, createdAt / 1000]);
  });

  it('are moved, and not over others that must stay', async () => {
    await write('a.json', 'a');
    await write('b.json', 'b');
    const move = (to: string, query = '') => client.post(`/userdata/a.json/move/${to}${query}`);
    expect(await statusAndText(await move('b.json', '?overwrite=false'))).toEqual([
      409,
      'File already exists',
    ]);
    expect(await (await move('s%2Fc.json')).json()).toBe('s/c.json');
    expect((await move('d.json')).status).toBe(404);
    expect(await (await client.get('/userdata/s%2Fc.json')).text()).toBe('a');
    const over = await client.post('/userdata/b.json/move/s%2Fc.json?full_info=true');
    expect(await over.json()).toMatchObject({ path: 's/c.json', size: 1 });
    expect((await client.post('/userdata/s%2Fc.json/move/s')).status).toBe(409);
  });

  it('are deleted, but folders are not', async () => {
    await write('f/a.json');
    expect((await remove('f')).status).toBe(404);
    expect((await remove('f%2Fa.json')).status).toBe(204);
    expect((await remove('f%2Fa.json')).status).toBe(404);
  });

  it.each([
    ['POST', '/userdata/a/b', 405],
    ['DELETE', '/userdata/a/b', 405],
    ['GET', '/userdata/a/b', 404],
    ['GET', '/userdata/none.json', 404],
    ['POST', '/userdata/..%2F..%2Fevil', 403],
    ['GET', '/userdata/..%2Fx', 403],
    ['DELETE', '/userdata/..%2Fx', 403],
    ['POST', '/userdata/..%2Fx/move/a', 403],
    ['POST', '/userdata/a/move/..%2Fx', 403],
    ['POST', '/userdata/a%2F..', 403],
  ])('%s %s is %i', async (method, path, status) => {
    const response = await client.server.ask(method, path, method === 'POST' ? 'x' : undefined);
    expect(response.status).toBe(status);
    if (status === 405) expect(response.headers.get('allow')).toBe('DELETE,GET,HEAD,POST');
  });
});

describe('GET /userdata', () => {
  beforeEach(async () => {
    for (const path of ['w/b.json', 'w/a.json', 'w/s/c.json', 'x.json']) await write(path);
  });

  it('lists the files of a folder by name, or of its subfolders too', async () => {
    expect(await client.getJson('/userdata?dir=w')).toEqual(['a.json', 'b.json']);
    expect(await client.getJson('/userdata?dir=w&recurse=True')).toEqual(['a.json', 'b.json', 's/c.json']);
    expect(await client.getJson('/userdata?dir=.')).toEqual(['x.json']);
  });

  it('splits paths, or describes the files', async () => {
    expect(await client.getJson('/userdata?dir=w&recurse=true&split=true')).toEqual([
      ['a.json', 'a.json'],
      ['b.json', 'b.json'],
      ['s/c.json', 's', 'c.json'],
    ]);
    expect(await client.getJson('/userdata?dir=w&full_info=true&split=true')).toMatchObject([
      { path: 'a.json', size: 2 },
      { path: 'b.json', size: 2 },
    ]);
  });

  it.each([
    ['/userdata', 400, 'Directory not provided'],
    ['/userdata?dir=nope', 404, 'Directory not found'],
    ['/userdata?dir=../..', 403, 'Invalid directory'],
    ['/v2/userdata?path=../..', 400, 'Invalid path requested'],
    ['/v2/userdata?path=nope', 404, 'Requested path not found'],
    ['/v2/userdata?path=x.json', 400, 'Requested path is not a directory'],
  ])('%s is %i', async (path, status, message) => {
    expect(await statusAndText(await client.get(path))).toEqual([status, message]);
  });
});

describe('GET /v2/userdata', () => {
  it('lists folders before files, by name in any case', async () => {
    for (const path of ['b.json', 'A.json', 'z/c.json', 'y/d.json']) await write(path);
    const entries = await client.getJson('/v2/userdata');
    expect(entries.map(({ type, path, name }: Record<string, string>) => [type, path, name])).toEqual([
      ['directory', 'y', 'y'],
      ['directory', 'z', 'z'],
      ['file', 'A.json', 'A.json'],
      ['file', 'b.json', 'b.json'],
      ['file', 'z/c.json', 'c.json'],
      ['file', 'y/d.json', 'd.json'],
    ]);
    expect(Object.keys(entries[0])).toEqual(['name', 'path', 'type']);
    expect(entries[2]).toMatchObject({ size: 2, modified: expect.any(Number) });
    expect((await client.getJson('/v2/userdata?path=z')).map(({ path }: { path: string }) => path)).toEqual([
      'z/c.json',
    ]);
  });

  it('is empty before the first file', async () => {
    expect(await client.getJson('/v2/userdata')).toEqual([]);
  });
});
