import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { BytesResponse } from '#core/http';
import { cleanUp, curl, raw, startPort } from '#test/support/processes/port-testing.ts';

afterEach(cleanUp);

const encoder = new TextEncoder();

describe('answers', () => {
  it('sends the length of a complete body, and a stream in chunks', async () => {
    const { port } = await startPort((request) =>
      request.url.endsWith('/complete')
        ? Response.json({ a: 1 })
        : new Response(
            new ReadableStream({
              async start(controller) {
                for (const line of ['{"a":1}\n', '{"a":2}\n']) controller.enqueue(encoder.encode(line));
                controller.close();
              },
            }),
          ),
    );
    const [complete] = await raw(port, { path: '/complete' });
    expect(complete.headers['content-length']).toBe('7');
    const [stream, text] = await raw(port, { path: '/stream' });
    expect(stream.headers['transfer-encoding']).toBe('chunked');
    expect(text).toBe('{"a":1}\n{"a":2}\n');
  });

  it.each([0, 1, 256, 4096, 4097, 100_000])('sends %i bytes of memory unchanged', async (size) => {
    const content = Uint8Array.from({ length: size }, (_, at) => at % 256);
    const padded = new Uint8Array(size + 6);
    padded.set(content, 3);
    // A view into a larger buffer: only its own bytes are sent.
    const { port } = await startPort(() => new BytesResponse(padded.subarray(3, 3 + size)));
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.headers.get('content-length')).toBe(String(size));
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content);
    const head = await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual([String(size), '']);
  });

  it('spells header names as servers do and keeps several cookies apart', async () => {
    const { port } = await startPort(() => {
      const headers = new Headers({ 'x-tabd-version': '1' });
      headers.append('set-cookie', 'a=1');
      headers.append('set-cookie', 'b=2');
      return new Response('x', { status: 418, headers });
    });
    const [incoming] = await raw(port, {});
    expect(incoming.statusCode).toBe(418);
    expect(incoming.rawHeaders).toContain('X-Tabd-Version');
    expect(incoming.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('answers HEAD with the head of the answer alone', async () => {
    let cancelled = false;
    const { port } = await startPort((request) =>
      request.url.endsWith('/stream')
        ? new Response(
            new ReadableStream({
              cancel() {
                cancelled = true;
              },
            }),
          )
        : new Response('Ollama is running'),
    );
    const [incoming, text] = await raw(port, { method: 'HEAD', path: '/' });
    expect([incoming.headers['content-length'], text]).toEqual(['17', '']);
    await raw(port, { method: 'HEAD', path: '/stream' });
    expect(cancelled).toBe(true);
  });

  it('sends the head before the first byte of the body', async () => {
    const { port } = await startPort(() => new Response(new ReadableStream({})));
    const outgoing = httpRequest({ host: '127.0.0.1', port }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(incoming.statusCode).toBe(200);
    outgoing.destroy();
  });

  it('breaks the connection when the body fails, so that the client notices', async () => {
    const { port } = await startPort(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              controller.enqueue(encoder.encode('half'));
              await new Promise((resolve) => setTimeout(resolve, 20));
              controller.error(new Error('engine lost'));
            },
          }),
        ),
    );
    const { output, code } = await curl(`http://127.0.0.1:${port}/`);
    expect(output).toContain('half');
    expect(output).not.toContain('engine lost');
    expect(code).toBe(18);
  });
});
