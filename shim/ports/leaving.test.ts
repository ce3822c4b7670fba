import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as netConnect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, startPort } from '#test/support/processes/port-testing.ts';

afterEach(cleanUp);

const encoder = new TextEncoder();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a client that disconnects', () => {
  it('aborts the request before the first byte, also after a garbage collection', async () => {
    let started = () => {};
    const running = new Promise<void>((resolve) => (started = resolve));
    let aborted = (_at: number) => {};
    const abort = new Promise<number>((resolve) => (aborted = resolve));
    const { port } = await startPort(async ({ signal }) => {
      signal.addEventListener('abort', () => aborted(performance.now()));
      started();
      return new Promise<Response>(() => {});
    });
    const child = spawn('curl', ['-s', '-d', '{}', `http://127.0.0.1:${port}/api/chat`]);
    await running;
    collectGarbage();
    const killed = performance.now();
    child.kill('SIGKILL');
    expect((await abort) - killed).toBeLessThan(500);
  });

  it('cancels the body and aborts the request in mid-stream', async () => {
    let left = (_reason: string) => {};
    const cancelled = new Promise<string>((resolve) => (left = resolve));
    let signal: AbortSignal | undefined;
    const { port } = await startPort((request) => {
      signal = request.signal;
      return new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 10));
            controller.enqueue(encoder.encode('token '));
          },
          cancel: (reason) => left(String(reason)),
        }),
      );
    });
    const child = spawn('curl', ['-sN', `http://127.0.0.1:${port}/`]);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    expect(await cancelled).toContain('left');
    expect(signal?.aborted).toBe(true);
  });

  it('fails the body of an upload that breaks off', async () => {
    let failed = (_message: string) => {};
    const failure = new Promise<string>((resolve) => (failed = resolve));
    const { port } = await startPort(async (request) => {
      await request.arrayBuffer().catch((error: Error) => failed(error.message));
      return new Response('late');
    });
    const socket = netConnect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nsome');
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
    expect(await failure).toBeTruthy();
  });
});
