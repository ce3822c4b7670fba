import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, startPort } from '#test/support/processes/port-testing.ts';

afterEach(cleanUp);

describe('large bodies', () => {
  const SIZE = 200 * 1024 * 1024;
  const PIECE = Buffer.alloc(1024 * 1024, 7);

  /** Peak growth of the process's memory outside the JavaScript heap, in bytes. */
  async function growth(work: () => Promise<void>): Promise<number> {
    const memory = () => process.memoryUsage().rss;
    const before = memory();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, memory())), 5);
    await work();
    clearInterval(timer);
    return peak - before;
  }

  it('receives 200 MB and sends 200 MB, pausing for a slow reader', async () => {
    let produced = 0;
    let taken = 0;
    let release = () => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    const { port } = await startPort(async (request) => {
      if (request.method === 'GET') {
        const body = new ReadableStream({
          pull(controller) {
            if (produced >= SIZE) return controller.close();
            produced += PIECE.byteLength;
            controller.enqueue(new Uint8Array(PIECE));
          },
        });
        return new Response(body);
      }
      const reader = request.body!.getReader();
      await slow;
      for (let read = await reader.read(); !read.done; read = await reader.read())
        taken += read.value.byteLength;
      return new Response(String(taken));
    });
    let sent = 0;
    const increase = await growth(async () => {
      const upload = httpRequest({
        host: '127.0.0.1',
        port,
        method: 'POST',
        headers: { 'content-length': SIZE },
      });
      const answered = once(upload, 'response');
      const flushed = new Promise<void>((resolve) => {
        const next = () => {
          while (sent < SIZE) {
            sent += PIECE.byteLength;
            if (!upload.write(PIECE)) return upload.once('drain', next);
          }
          upload.end(resolve);
        };
        next();
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(sent).toBeLessThan(40 * 1024 * 1024);
      release();
      await flushed;
      const [answer] = (await answered) as [IncomingMessage];
      answer.resume();
      expect(taken).toBe(SIZE);

      const download = httpRequest({ host: '127.0.0.1', port }).end();
      const [incoming] = (await once(download, 'response')) as [IncomingMessage];
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(produced).toBeLessThan(40 * 1024 * 1024);
      let received = 0;
      for await (const chunk of incoming) received += chunk.length;
      expect(received).toBe(SIZE);
    });
    expect(increase).toBeLessThan(120 * 1024 * 1024);
  }, 30_000);
});
