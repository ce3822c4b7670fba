import { expect, it, vi } from 'vitest';
import { eventStreamResponse, ndjsonResponse, textStream } from './text-stream.ts';

async function* from(...chunks: (string | Uint8Array | Error)[]) {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield chunk;
  }
}
const textOf = (body: ReadableStream<Uint8Array>) => new Response(body).text();
const ignore = () => {};

it('writes texts as UTF-8 and bytes as they are', async () => {
  const body = textStream(from('é', Uint8Array.of(0x2c), ''), undefined, ignore);
  expect(await textOf(body)).toBe('é,');
});

it('writes the last words of an error and ends', async () => {
  const body = textStream(from('a', new Error('boom')), (error) => `<${error}>`, ignore);
  expect(await textOf(body)).toBe('a<Error: boom>');
});

it('breaks off without last words', async () => {
  const reader = textStream(from('a', new Error('boom')), undefined, ignore).getReader();
  expect((await reader.read()).done).toBe(false);
  await expect(reader.read()).rejects.toThrow('boom');
});

it('reads one chunk ahead of its reader', async () => {
  const produced: number[] = [];
  async function* endless() {
    for (let number = 0; ; number++) {
      produced.push(number);
      yield String(number);
    }
  }
  const reader = textStream(endless(), undefined, ignore).getReader();
  await vi.waitFor(() => expect(produced).toEqual([0]));
  await reader.read();
  await vi.waitFor(() => expect(produced).toEqual([0, 1]));
  await reader.cancel();
});

it('a reader that cancels stops the source, whose later errors concern nobody', async () => {
  const stop = vi.fn();
  let isCleanedUp = false;
  async function* source() {
    try {
      yield 'a';
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield 'b';
    } finally {
      isCleanedUp = true;
      // biome-ignore lint/correctness/noUnsafeFinally: the error of a source that cleans up
      throw new Error('while cleaning up');
    }
  }
  const lastWords = vi.fn(() => '');
  const reader = textStream(source(), lastWords, stop).getReader();
  await reader.read();
  await reader.cancel('enough');
  expect(stop).toHaveBeenCalledExactlyOnceWith('enough');
  await vi.waitFor(() => expect(isCleanedUp).toBe(true));
  expect(lastWords).not.toHaveBeenCalled();
});

it('a chunk that arrives after the cancel is dropped', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* source() {
    await gate;
    yield 'late';
  }
  const reader = textStream(source(), undefined, ignore).getReader();
  const reading = reader.read();
  await reader.cancel();
  release();
  expect(await reading).toEqual({ done: true, value: undefined });
});

it.each([
  [ndjsonResponse, 'application/x-ndjson'],
  [eventStreamResponse, 'text/event-stream'],
])('%o has its content type', async (respond, type) => {
  const response = respond(textStream(from('x'), undefined, ignore));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect(await response.text()).toBe('x');
});
