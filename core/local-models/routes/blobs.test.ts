import { beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, sha256Digest, startModelServer } from '#test/support/local-models/model-server.ts';

let host: ModelServer['host'];
let send: ModelServer['send'];
beforeEach(async () => {
  ({ host, send } = await startModelServer());
});

describe('blobs', () => {
  const hello = new TextEncoder().encode('hello blob');

  it('are stored once, under the digest of their bytes', async () => {
    const path = `/api/blobs/${sha256Digest(hello)}`;
    const missing = await send('HEAD', path);
    expect([missing.status, missing.headers.get('content-length')]).toEqual([404, '102']);
    expect((await send('POST', path, hello)).status).toBe(201);
    expect((await send('POST', path, hello)).status).toBe(200);
    expect((await send('HEAD', path)).status).toBe(200);
    expect((await send('HEAD', path.replace('sha256:', 'sha256-'))).status).toBe(200);
    const upper = sha256Digest(hello).slice(7).toUpperCase();
    expect((await send('HEAD', `/api/blobs/sha256:${upper}`)).status).toBe(200);
    expect((await send('HEAD', `/api/blobs/SHA256:${upper}`)).status).toBe(400);
    expect((await send('POST', '/api/blobs/xyz', hello)).status).toBe(400);
    expect((await send('GET', path)).headers.get('allow')).toBe('HEAD, POST');
  });

  it('are stored under their own digest when the client announced another', async () => {
    const zeros = `sha256:${'0'.repeat(64)}`;
    const response = await send('POST', `/api/blobs/${zeros}`, hello);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: `digest mismatch, expected "${zeros}", got "${sha256Digest(hello)}"` },
    ]);
    expect((await send('HEAD', `/api/blobs/${sha256Digest(hello)}`)).status).toBe(200);
  });

  it('leave nothing behind when the client disconnects or the storage is full', async () => {
    const before = host.blobs.used();
    const client = new AbortController();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (++sent === 40) client.abort(new DOMException('left', 'AbortError'));
        controller.enqueue(new Uint8Array(100_000));
      },
    });
    const init = { body: endless as BodyInit, duplex: 'half', signal: client.signal } as RequestInit;
    const response = await send('POST', `/api/blobs/${sha256Digest('x')}`, undefined, init);
    expect(response.status).toBe(499);
    expect([host.blobs.used(), host.blobs.partials.size]).toEqual([before, 0]);
    host.blobs.quota = before + 5;
    const full = await send('POST', `/api/blobs/${sha256Digest(hello)}`, hello);
    expect([full.status, host.blobs.used()]).toEqual([507, before]);
    expect(await host.records.collection('pulls').list()).toEqual([]);
  });
});
