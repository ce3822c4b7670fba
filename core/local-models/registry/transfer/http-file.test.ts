import { describe, expect, test } from 'vitest';
import type { LocatedFile } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import {
  ConnectionError,
  type HttpFile,
  HttpStatusError,
  httpFile,
  locateHttpFile,
  SourceChanged,
  statusError,
} from './http-file.ts';

const url = 'https://hub.test/w.gguf';
const HEX = 'ab'.repeat(32);
const CONTENT = '0123456789';

function network(answer: (request: Request) => Response) {
  const { network, requested } = createTestHost({ fetch: answer });
  return { network, requested };
}

/** The file at a server with this answer. */
const fileAt = (answer: (request: Request) => Response, fields: Partial<HttpFile & LocatedFile> = {}) =>
  httpFile(network(answer).network, { role: 'weights', name: 'w.gguf', url, ...fields });

const open = async (file: LocatedFile, offset = 0) =>
  new Response(await file.open(offset, neverAborted)).text();

const full = (headers: Record<string, string> = {}) =>
  new Response(CONTENT, { headers: { 'content-length': '10', ...headers } });

const range = (start: number, headers: Record<string, string> = {}) =>
  new Response(CONTENT.slice(start), {
    status: 206,
    headers: { 'content-range': `bytes ${start}-9/10`, ...headers },
  });

const pastTheEnd = (contentRange: string, headers: Record<string, string> = {}) =>
  new Response(null, { status: 416, headers: { 'content-range': contentRange, ...headers } });

describe('open', () => {
  test('the first response sets size, digest and validator', async () => {
    const file = fileAt(() => full({ etag: `"${HEX}"` }));
    expect(await open(file)).toBe(CONTENT);
    expect(file).toMatchObject({ size: 10, digest: `sha256:${HEX}`, validator: `"${HEX}"` });
  });

  test.each<[string, Record<string, string>, Partial<HttpFile>]>([
    ['is too short', { etag: '"abc"' }, {}],
    ['is weak', { etag: `W/"${HEX}"` }, {}],
    ['has upper case', { etag: `"${HEX.toUpperCase()}"` }, {}],
    ['belongs to a server with other ETags', { etag: `"${HEX}"` }, { foreignEtag: true }],
  ])('an ETag is no digest when it %s', async (_, headers, fields) => {
    const file = fileAt(() => full(headers), fields);
    await open(file);
    expect(file.digest).toBeUndefined();
    expect(file.validator).toBe(headers.etag);
  });

  test('the ETag of the redirect target takes precedence', async () => {
    const file = fileAt(() => full({ etag: `"${'cd'.repeat(32)}"`, 'x-linked-etag': HEX }));
    await open(file);
    expect(file.digest).toBe(`sha256:${HEX}`);
  });

  test('the length of an encoded body is not the size', async () => {
    const file = fileAt(() => full({ 'content-encoding': 'br', 'content-length': '4' }));
    await open(file);
    expect(file.size).toBeUndefined();
  });

  test.each([
    [0, null],
    [1, 'bytes=1-'],
    [9, 'bytes=9-'],
  ])('from offset %i it sends the range %s and the headers', async (offset, header) => {
    const { network: net, requested } = network(() => (offset === 0 ? full() : range(offset)));
    const file = httpFile(net, { role: 'weights', name: 'w', url, headers: { authorization: 'Bearer x' } });
    expect(await open(file, offset)).toBe(CONTENT.slice(offset));
    expect(requested[0]!.headers.get('range')).toBe(header);
    expect(requested[0]!.headers.get('authorization')).toBe('Bearer x');
    expect(requested[0]!.credentials).toBe('omit');
  });

  test.each([1, 9, 10])('skips %i bytes where a server ignores the range', async (offset) => {
    const parts = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const part of ['012', '345', '6789']) controller.enqueue(new TextEncoder().encode(part));
          controller.close();
        },
      });
    expect(
      await open(
        fileAt(() => new Response(parts())),
        offset,
      ),
    ).toBe(CONTENT.slice(offset));
  });

  test('a request at the end of the file is empty', async () => {
    expect(
      await open(
        fileAt(() => pastTheEnd('bytes */10')),
        10,
      ),
    ).toBe('');
  });

  test.each<[string, Partial<LocatedFile>, number, () => Response]>([
    ['the file is shorter', {}, 10, () => pastTheEnd('bytes */7')],
    ['a server does not state the length', {}, 10, () => pastTheEnd('')],
    [
      'the ETag at the end differs',
      { validator: '"1"' },
      10,
      () => pastTheEnd('bytes */10', { etag: '"2"' }),
    ],
    ['the ETag of a range differs', { validator: '"1"' }, 3, () => range(3, { etag: '"2"' })],
    ['a range has no ETag any more', { validator: '"1"' }, 3, () => range(3)],
    ['the length differs', { size: 11 }, 0, () => full()],
    ['the total of a range differs', { size: 11 }, 3, () => range(3)],
  ])('throws SourceChanged when %s', async (_, fields, offset, answer) => {
    await expect(open(fileAt(answer, fields), offset)).rejects.toThrow(SourceChanged);
  });

  test('from the beginning another ETag is no change', async () => {
    const file = fileAt(() => full({ etag: '"2"' }), { validator: '"1"' });
    expect(await open(file)).toBe(CONTENT);
    expect(file.validator).toBe('"2"');
  });

  test.each([
    ['another range', () => range(4)],
    ['a range without its place', () => new Response('x', { status: 206 })],
  ])('refuses %s', async (_, answer) => {
    await expect(open(fileAt(answer), 3)).rejects.toThrow(`${url} sent another range than was asked for`);
  });

  test('a connection that fails has a text of Ollama', async () => {
    const opened = open(
      fileAt(() => {
        throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
      }),
    );
    await expect(opened).rejects.toThrow(ConnectionError);
    await expect(opened).rejects.toThrow(`Get "${url}": dial tcp hub.test:443: connect: connection refused`);
  });

  test('a cancelled request rejects with the reason of its signal', async () => {
    const reason = new Error('interrupted');
    await expect(fileAt(() => full()).open(0, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('a status other than success is an error with the beginning of the body', async () => {
    await expect(open(fileAt(() => new Response('no access', { status: 403 })))).rejects.toMatchObject({
      name: 'HttpStatusError',
      status: 403,
      message: `${url} answered 403: no access`,
    });
  });
});

describe('locateHttpFile', () => {
  const locate = (answer: (request: Request) => Response, fields: Partial<HttpFile> = {}) =>
    locateHttpFile(network(answer).network, { role: 'weights', name: 'w', url, ...fields }, neverAborted);

  test('reads size and digest from a HEAD request', async () => {
    const methods: string[] = [];
    const file = await locate(({ method }) => {
      methods.push(method);
      return new Response(null, { headers: { 'content-length': '10', etag: `"${HEX}"` } });
    });
    expect(file).toMatchObject({ size: 10, digest: `sha256:${HEX}` });
    expect(methods).toEqual(['HEAD']);
  });

  test.each<[string, Record<string, string>, Partial<HttpFile>]>([
    ['no headers', {}, {}],
    ['an encoded body', { 'content-length': '10', 'content-encoding': 'gzip' }, {}],
    ['a foreign ETag', { etag: `"${HEX}"` }, { foreignEtag: true }],
  ])('%s: size and digest are unknown', async (_, headers, fields) => {
    const file = (await locate(() => new Response(null, { headers }), fields))!;
    expect([file.size, file.digest]).toEqual([undefined, undefined]);
  });

  test.each([404, 410])('status %i: there is no file', async (status) => {
    expect(await locate(() => new Response(null, { status }))).toBeUndefined();
  });

  test.each([403, 405, 500])('status %i: the file may still be delivered', async (status) => {
    const file = await locate(({ method }) => (method === 'HEAD' ? new Response(null, { status }) : full()));
    expect(await open(file!)).toBe(CONTENT);
  });

  test('a connection that fails is an error', async () => {
    const located = locate(() => {
      throw new TypeError('fetch failed');
    });
    await expect(located).rejects.toThrow(`Head "${url}": fetch failed`);
  });
});

describe('statusError', () => {
  test.each<[string, string, string]>([
    ['a text', ' busy \n', ': busy'],
    ['no text', '', ''],
    ['HTML', '<!doctype html>', ''],
    ['a long text', 'x'.repeat(301), `: ${'x'.repeat(300)}`],
  ])('the message for %s', async (_, body, end) => {
    const error = await statusError(new Response(body, { status: 503 }), url);
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error.message).toBe(`${url} answered 503${end}`);
  });

  test.each<[string | undefined, number | undefined]>([
    ['2', 2000],
    ['0', 0],
    ['-1', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    [undefined, undefined],
  ])('the header Retry-After %s', async (value, wait) => {
    const headers: Record<string, string> = value === undefined ? {} : { 'retry-after': value };
    expect((await statusError(new Response('', { status: 429, headers }), url)).retryAfter).toBe(wait);
  });

  test('a body that breaks off is left out', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) });
    expect((await statusError(new Response(body, { status: 500 }), url)).message).toBe(`${url} answered 500`);
  });
});
