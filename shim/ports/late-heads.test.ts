import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { httpServer, RunningRequests } from './http-handler.ts';
import { HEAD_TIMES } from './port-server.ts';

it('cuts off a head that drips in, even if each byte comes in time', async () => {
  const handler = { fetch: async () => new Response('ok'), connect: async () => new Response('no') };
  const times = { headersTimeout: 200, connectionsCheckingInterval: 50 };
  const server = httpServer(handler, new RunningRequests(), times).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nx: ');
  const dripping = setInterval(() => socket.write('x'), 20);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  await once(socket, 'close');
  clearInterval(dripping);
  server.close();
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

it('cuts off every late head within the 60 s that the documents name', () => {
  expect(HEAD_TIMES.headersTimeout + HEAD_TIMES.connectionsCheckingInterval).toBeLessThanOrEqual(60_000);
});
