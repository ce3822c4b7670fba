import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, raw, startPort } from '#test/support/processes/port-testing.ts';
import { PortTaken } from './bind.ts';
import { describeOwner } from './port-owner.ts';

afterEach(cleanUp);

const encoder = new TextEncoder();

describe('taken ports', () => {
  it('are refused with the name of the owner, or replaced by the next port', async () => {
    const other = createServer((_incoming, outgoing) => outgoing.end('Ollama is running'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(startPort(() => new Response(), { port })).rejects.toThrow(PortTaken);
    expect(await describeOwner(port)).toMatch(/^Ollama/);
    const listener = await startPort(() => new Response('ours'), { port, alternatives: 20 });
    expect(listener.port).toBeGreaterThan(port);
    expect((await raw(listener.port, {}))[1]).toBe('ours');
    other.close();
  });

  it('count as taken on IPv6 alone', async () => {
    const other = createServer().listen(0, '::1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(startPort(() => new Response(), { port })).rejects.toThrow(PortTaken);
    other.close();
  });

  it('close at once although a client is connected without a request', async () => {
    const listener = await startPort(() => new Response('one'));
    const silent = connect(listener.port, '127.0.0.1');
    await once(silent, 'connect');
    const ended = once(silent, 'close');
    const begun = performance.now();
    await listener.close(AbortSignal.timeout(20_000));
    expect(performance.now() - begun).toBeLessThan(5_000);
    await ended;
  });

  it('are free after closing', async () => {
    const first = await startPort(() => new Response('one'));
    await first.close(AbortSignal.timeout(1000));
    const second = await startPort(() => new Response('two'), { port: first.port });
    expect((await raw(second.port, {}))[1]).toBe('two');
  });
});

describe('stopping', () => {
  it('does not wait for the rest of an upload that was refused', async () => {
    const listener = await startPort(() => new Response('too large', { status: 413 }));
    const uploader = connect(listener.port, '127.0.0.1');
    uploader.on('error', () => {});
    uploader.write('POST /upload HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000000\r\n\r\n');
    const [answer] = (await once(uploader, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413/);
    const upload = setInterval(() => uploader.write(encoder.encode('more')), 20);
    const begun = performance.now();
    await listener.close(AbortSignal.timeout(20_000));
    clearInterval(upload);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('lets a response finish, refuses new requests, and aborts at the deadline', async () => {
    let finish = () => {};
    const done = new Promise<void>((resolve) => (finish = resolve));
    const listener = await startPort(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(encoder.encode('a'));
              await done;
              controller.enqueue(encoder.encode('b'));
              controller.close();
            },
          }),
        ),
    );
    const outgoing = httpRequest({ host: '127.0.0.1', port: listener.port }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(listener.running).toBe(1);
    const closing = listener.close(AbortSignal.timeout(5000));
    await expect(raw(listener.port, {})).rejects.toThrow(/ECONNREFUSED/);
    finish();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('ab');
    await closing;
    expect(listener.running).toBe(0);

    const endless = await startPort(() => new Response(new ReadableStream({})));
    const stuck = httpRequest({ host: '127.0.0.1', port: endless.port }).end();
    stuck.on('error', () => {});
    await once(stuck, 'response');
    const begun = performance.now();
    await endless.close(AbortSignal.timeout(100));
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
