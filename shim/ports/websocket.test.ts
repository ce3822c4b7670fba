import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerSocket } from '#core/http/routing/server.ts';
import { cleanUp, startPort } from '#test/support/processes/port-testing.ts';

afterEach(cleanUp);

describe('WebSockets', () => {
  it('carry text, bytes and the close frame both ways', async () => {
    let closed = (_code: number) => {};
    const closing = new Promise<number>((resolve) => (closed = resolve));
    const { port } = await startPort(
      () => new Response(),
      {},
      (request) => ({
        protocol: request.headers.get('sec-websocket-protocol') ?? undefined,
        start(socket: ServerSocket) {
          socket.send(`hello ${new URL(request.url).searchParams.get('clientId')}`);
          socket.onMessage((data) => socket.send(data));
          socket.onClose((code) => closed(code));
        },
      }),
    );
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?clientId=7`, ['x']);
    const messages: unknown[] = [];
    const received = new Promise<void>((resolve) =>
      socket.on('message', (data: Buffer, binary) => {
        messages.push(binary ? [...data] : data.toString());
        if (messages.length === 3) resolve();
      }),
    );
    await once(socket, 'open');
    socket.send('text');
    socket.send(Buffer.from([1, 2]));
    await received;
    expect(messages).toEqual(['hello 7', 'text', [1, 2]]);
    expect(socket.protocol).toBe('x');
    socket.close(4001);
    expect(await closing).toBe(4001);
  });

  it("are refused with the core's response", async () => {
    const { port } = await startPort(
      () => new Response(),
      {},
      () => Response.json({ error: 'not here' }, { status: 404 }),
    );
    const socket = new WebSocket(`ws://127.0.0.1:${port}/nothing`);
    const [, incoming] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    expect([incoming.statusCode, Buffer.concat(chunks).toString()]).toEqual([404, '{"error":"not here"}']);
  });
});
