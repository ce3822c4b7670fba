import { describe, expect, it, vi } from 'vitest';
import { readBodyBytes } from './read-body.ts';

const here = new AbortController().signal;
const post = (body: BodyInit | null, headers: HeadersInit = {}) =>
  new Request('http://x/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

function pieces(...texts: string[]) {
  const cancelled = vi.fn();
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = texts.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(next));
    },
    cancel: cancelled,
  });
  return { stream, cancelled };
}

describe('readBodyBytes', () => {
  it('joins the pieces', async () => {
    const bytes = await readBodyBytes(post(pieces('ab', '', 'c').stream), 3, here);
    expect(new TextDecoder().decode(bytes)).toBe('abc');
    expect(await readBodyBytes(post(null), 3, here)).toHaveLength(0);
  });

  it('stops reading when the body grows too large', async () => {
    const { stream, cancelled } = pieces('ab', 'cd', 'ef');
    await expect(readBodyBytes(post(stream), 3, here)).rejects.toMatchObject({ status: 413 });
    expect(cancelled).toHaveBeenCalled();
  });

  it('reads a body where the platform does not show it as a stream', async () => {
    const hidden = (text: string) =>
      Object.defineProperty(post(text), 'body', { value: undefined }) as unknown as Request;
    expect(new TextDecoder().decode(await readBodyBytes(hidden('abc'), 3, here))).toBe('abc');
    await expect(readBodyBytes(hidden('abcd'), 3, here)).rejects.toMatchObject({ status: 413 });
  });

  it('stops when the client leaves in the middle', async () => {
    const client = new AbortController();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([1])),
    });
    const reading = readBodyBytes(post(stream), 10, client.signal);
    client.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});
