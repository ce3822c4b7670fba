import { beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, sha256Digest, startModelServer } from '#test/support/local-models/model-server.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

const gguf = tinyGguf();
let host: ModelServer['host'];
let send: ModelServer['send'];
beforeEach(async () => {
  ({ host, send } = await startModelServer(gguf));
});

describe('POST /api/copy', () => {
  it('adds a name for a model', async () => {
    await send('POST', '/api/create', {
      model: 'base',
      files: { 'm.gguf': sha256Digest(gguf) },
      stream: false,
    });
    const copied = await send('POST', '/api/copy', { source: 'base', destination: 'u/copy:1' });
    expect([copied.status, await copied.text(), copied.headers.get('content-length')]).toEqual([
      200,
      '',
      '0',
    ]);
    expect((await send('POST', '/api/copy', { source: 'BASE', destination: 'base' })).status).toBe(200);
    const { models } = await (await send('GET', '/api/tags')).json();
    expect(models.map(({ name }: { name: string }) => name).sort()).toEqual(['base:latest', 'u/copy:1']);
    expect(models[0].digest).toBe(models[1].digest);
    await send('DELETE', '/api/delete', { model: 'base' });
    expect((await send('POST', '/api/show', { model: 'u/copy:1' })).status).toBe(200);
    await send('DELETE', '/api/delete', { model: 'u/copy:1' });
    expect(await host.blobs.list()).toEqual([]);
  });

  it.each([
    [{ source: 'nope', destination: 'x' }, 404, 'model "nope" not found'],
    [{ destination: 'x' }, 400, 'source "" is invalid'],
    [{ source: 'x y', destination: 'x' }, 400, 'source "x y" is invalid'],
    [{ source: 'x', destination: '..' }, 400, 'destination ".." is invalid'],
  ])('refuses %j', async (body, status, error) => {
    const response = await send('POST', '/api/copy', body);
    expect([response.status, await response.json()]).toEqual([status, { error }]);
  });
});
