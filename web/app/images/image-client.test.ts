import { expect, it } from 'vitest';
import { ImageClient } from './image-client.ts';

it('cancels a prompt that is aborted while the server accepts it', async () => {
  const paths: string[] = [];
  const stop = new AbortController();
  const client = new ImageClient({
    // As with the real `fetch`, the server processes a request even after its client stopped waiting.
    fetch: (path, init) =>
      new Promise((resolve, reject) => {
        paths.push(path);
        init?.signal?.addEventListener('abort', () => reject(init.signal!.reason));
        if (path === '/prompt') stop.abort();
        setTimeout(() => resolve(Response.json({ prompt_id: 'accepted' })));
      }),
    connect() {
      const socket = { onopen: () => {}, close() {} };
      queueMicrotask(() => socket.onopen());
      return socket as unknown as WebSocket;
    },
  });
  const run = async () => {
    for await (const _event of client.run('{}', stop.signal));
  };
  await expect(run()).rejects.toMatchObject({ name: 'AbortError' });
  expect(paths).toEqual(['/prompt', '/queue', '/interrupt']);
});
