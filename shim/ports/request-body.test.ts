import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { requestBody } from './request-body.ts';

it('fails a body without further data, and closes the connection', async () => {
  const server = createServer((incoming, outgoing) => {
    new Response(requestBody(incoming, undefined, 100)).text().then(
      (text) => outgoing.end(text),
      (error: Error) => outgoing.writeHead(408).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const slow = request({ port, method: 'POST', headers: { 'content-length': 10 } });
  const closed = new Promise((resolve) => slow.once('close', resolve));
  slow.on('error', () => {});
  slow.write('abc');
  const [status, text] = await new Promise<[number | undefined, string]>((resolve) => {
    slow.once('response', async (answer) => {
      let heard = '';
      for await (const piece of answer) heard += piece;
      resolve([answer.statusCode, heard]);
    });
  });
  expect([status, text]).toEqual([408, 'nothing more of the request came within 0.1 s']);
  await closed;
  await new Promise((resolve) => server.close(resolve));
});
