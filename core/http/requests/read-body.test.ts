import { describe, expect, it, vi } from 'vitest';
import { readBodyBytes, readBodyJson } from './read-body.ts';

const { signal } = new AbortController();
const post = (body: BodyInit | null, headers: HeadersInit = {}) =>
  new Request('http://x/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

/** A body of several chunks. */
function chunks(...texts: string[]) {
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
  it('joins the chunks, up to the limit', async () => {
    const bytes = await readBodyBytes(post(chunks('ab', '', 'c').stream), 3, signal);
    expect(new TextDecoder().decode(bytes)).toBe('abc');
    expect(await readBodyBytes(post(null), 3, signal)).toHaveLength(0);
  });

  it('stops reading when the body exceeds the limit', async () => {
    const { stream, cancelled } = chunks('ab', 'cd', 'ef');
    await expect(readBodyBytes(post(stream), 3, signal)).rejects.toMatchObject({
      status: 413,
      message: 'request body too large: at most 3 bytes are accepted here',
    });
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it('refuses a body by its announced length, unread', async () => {
    const { stream, cancelled } = chunks('ab');
    const announced = (length: number) => post(stream, { 'content-length': String(length) });
    await expect(readBodyBytes(announced(4), 3, signal)).rejects.toMatchObject({ status: 413 });
    expect(cancelled).toHaveBeenCalledOnce();
    await expect(readBodyBytes(post('abc', { 'content-length': '3' }), 3, signal)).resolves.toHaveLength(3);
  });

  it('reads a body that the platform does not show as a stream', async () => {
    const hidden = (text: string) =>
      Object.defineProperty(post(text), 'body', { value: undefined }) as unknown as Request;
    expect(new TextDecoder().decode(await readBodyBytes(hidden('abc'), 3, signal))).toBe('abc');
    await expect(readBodyBytes(hidden('abcd'), 3, signal)).rejects.toMatchObject({ status: 413 });
  });

  it('rejects when the client disconnects in the middle', async () => {
    const client = new AbortController();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([1])),
    });
    const reading = readBodyBytes(post(stream), 10, client.signal);
    client.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('readBodyJson', () => {
  const COMPRESSED = Uint8Array.from(
    Buffer.from('28b52ffd240d6900007b226d6f64656c223a2278227d7c43cf74', 'hex'),
  );

  it('reads the first value, whatever the content type', async () => {
    const request = post(' {"a":1} {"b":2}', { 'content-type': 'text/plain' });
    expect((await readBodyJson(request, signal)).root).toMatchObject({ type: 'object', start: 1, end: 8 });
  });

  it.each([
    ['', 'missing request body'],
    [' \n', 'missing request body'],
    ['{', 'unexpected EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['['.repeat(501), 'exceeded max depth'],
  ])('%j: %s', async (body, message) => {
    await expect(readBodyJson(post(body), signal)).rejects.toMatchObject({
      name: 'ApiError',
      status: 400,
      message,
    });
  });

  it('500 levels are not too deep, and an empty body may have another text', async () => {
    await expect(readBodyJson(post('['.repeat(500) + ']'.repeat(500)), signal)).resolves.toBeDefined();
    await expect(readBodyJson(post(''), signal, { whenEmpty: 'EOF' })).rejects.toThrow('EOF');
  });

  it('decompresses Zstandard where the route allows it, and only with its header', async () => {
    const request = (encoding: string) => post(COMPRESSED, { 'content-encoding': encoding });
    const { source } = await readBodyJson(request('ZSTD'), signal, { zstd: true });
    expect(source).toBe('{"model":"x"}');
    for (const [encoding, zstd] of [
      ['zstd', false],
      ['gzip', true],
    ] as const)
      await expect(readBodyJson(request(encoding), signal, { zstd })).rejects.toThrow(
        "invalid character '('",
      );
  });
});
