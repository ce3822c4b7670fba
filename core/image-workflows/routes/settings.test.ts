import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RouteClient } from '#test/support/image-workflows/route-client.ts';

let client: RouteClient;
beforeEach(() => {
  client = new RouteClient();
});
afterEach(() => client.close());

describe('settings', () => {
  it('are merged as an object, or stored one by one', async () => {
    expect(await client.getJson('/settings')).toEqual({});
    await client.post('/settings', { a: 1, b: 'x' });
    await client.post('/settings/c', '[1, 2]');
    await client.post('/settings', { a: 2 });
    expect(await client.getJson('/settings')).toEqual({ a: 2, b: 'x', c: [1, 2] });
    expect(await client.getJson('/settings/c')).toEqual([1, 2]);
    expect(await client.getJson('/settings/none')).toBeNull();
  });

  it('keep numbers as JavaScript writes them', async () => {
    await client.post('/settings', '{"a": 8.0, "b": 0.5}');
    expect(await (await client.get('/settings')).text()).toBe('{"a": 8, "b": 0.5}');
  });

  it('are not lost to another change at the same time', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => client.post(`/settings/${id}`, '1')));
    expect(await client.getJson('/settings')).toEqual({ a: 1, b: 1, c: 1 });
  });

  it('must be JSON, and an object when there are several', async () => {
    const errorOf = async (path: string, body: string) => {
      const response = await client.post(path, body);
      return [response.status, (await response.json()).error];
    };
    expect(await errorOf('/settings/d', 'no json')).toEqual([
      400,
      expect.stringContaining('the body is not JSON: '),
    ]);
    expect(await errorOf('/settings', '[1]')).toEqual([400, 'the body must be an object of settings']);
  });
});

describe('users', () => {
  it('are stored on the server, and the first setting creates their folder', async () => {
    expect(await client.getJson('/users')).toEqual({ storage: 'server', migrated: false });
    await client.post('/settings/a', '1');
    expect(await client.getJson('/users')).toEqual({ storage: 'server', migrated: true });
  });

  it('are created once by name', async () => {
    const create = (username: unknown) => client.post('/users', { username });
    expect(await (await create('Ann Smith!')).json()).toMatch(/^Ann-Smith-_[0-9a-f-]{36}$/);
    const twice = await create('Ann Smith!');
    expect([twice.status, (await twice.json()).error]).toEqual([400, 'Duplicate username.']);
    for (const name of ['', '  ', 5]) expect((await create(name)).status).toBe(400);
    expect((await create('Bob')).status).toBe(200);
    const users = JSON.parse(new TextDecoder().decode(await client.files.read('user/users.json')));
    expect(Object.values(users)).toEqual(['Ann Smith!', 'Bob']);
  });
});
