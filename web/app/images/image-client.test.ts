import { expect, it } from 'vitest';
import { ImageClient } from './image-client.ts';

it('withdraws a graph that is stopped while the server takes it', async () => {
  const asked: string[] = [];
  const stop = new AbortController();
  const client = new ImageClient({
    // As fetch does: the server takes what was sent, whether its answer is still awaited or not.
    fetch: (path, init) =>
      new Promise((resolve, reject) => {
        asked.push(path);
        init?.signal?.addEventListener('abort', () => reject(init.signal!.reason));
        if (path === '/prompt') stop.abort();
        setTimeout(() => resolve(Response.json({ prompt_id: 'taken' })));
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
  expect(asked).toEqual(['/prompt', '/queue', '/interrupt']);
});
