import { describe, expect, it } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';

describe('POST /api/pull', () => {
  const digest = `sha256:${'a'.repeat(64)}` as const;

  it('streams the progress', async () => {
    const { ask, registry } = fakeServer();
    registry.progress = [
      { status: 'pulling manifest' },
      { status: `pulling ${'a'.repeat(12)}`, digest, total: 100, completed: 0 },
      { status: `pulling ${'a'.repeat(12)}`, digest, total: 100, completed: 100 },
      { status: 'success' },
    ];
    const response = await ask('POST', '/api/pull', { model: '', name: 'x' });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(await response.text()).toBe(
      `{"status":"pulling manifest"}\n{"status":"pulling aaaaaaaaaaaa","digest":"${digest}","total":100}\n{"status":"pulling aaaaaaaaaaaa","digest":"${digest}","total":100,"completed":100}\n{"status":"success"}\n`,
    );
  });

  it('answers with one object without a stream', async () => {
    const response = await fakeServer().ask('POST', '/api/pull', { model: 'x', stream: false });
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'application/json',
      '{"status":"success"}',
    ]);
  });

  it('reports an error in the stream, or as a 500 without stream', async () => {
    const { ask, registry } = fakeServer();
    registry.progress = [{ status: 'pulling manifest' }];
    registry.pullFailure = new ApiError(404, 'pull model manifest: file does not exist');
    const streamed = await ask('POST', '/api/pull', { model: 'x' });
    expect([streamed.status, await streamed.text()]).toEqual([
      200,
      '{"status":"pulling manifest"}\n{"error":"pull model manifest: file does not exist"}\n',
    ]);
    const unstreamed = await ask('POST', '/api/pull', { model: 'x', stream: false });
    expect([unstreamed.status, await unstreamed.json()]).toEqual([
      500,
      { error: 'pull model manifest: file does not exist' },
    ]);
  });
});

it('deletes a model by `model` or `name`, and answers without a body', async () => {
  const { ask, registry } = fakeServer();
  const response = await ask('DELETE', '/api/delete', { model: '', name: 'smollm2:135m' });
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    200,
    '0',
    '',
  ]);
  expect(registry.models).toEqual([]);
});
