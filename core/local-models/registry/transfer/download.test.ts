import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Digest, DigestMismatch, type LocatedFile, StorageFull } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { download } from './download.ts';
import { ConnectionError, HttpStatusError, SourceChanged } from './http-file.ts';
import { pendingBlobs } from './pending-blobs.ts';

const CONTENT = '0123456789';
const DIGEST: Digest = `sha256:${createHash('sha256').update(CONTENT).digest('hex')}`;
const KEY = 'w';
const bytes = (text: string) => new TextEncoder().encode(text);

/** How one connection behaves, from the requested offset on. */
type Connection = (offset: number, signal: AbortSignal) => ReadableStream<Uint8Array> | Promise<never>;

/** Sends a text, then ends, fails or falls silent. */
const sends =
  (text: string, end: 'close' | 'silence' | Error = 'close'): Connection =>
  () => {
    let isSent = text === '';
    return new ReadableStream({
      pull(controller) {
        if (!isSent) controller.enqueue(bytes(text));
        else if (end === 'close') controller.close();
        else if (end === 'silence') return new Promise(() => {});
        else controller.error(end);
        isSent = true;
        return undefined;
      },
    });
  };
const sendsRest: Connection = (offset, signal) => sends(CONTENT.slice(offset))(offset, signal);
const refuses =
  (error: Error): Connection =>
  () =>
    Promise.reject(error);

/** A file whose connections behave in turn as listed; the last behavior repeats. */
function fixture(connections: Connection[], fields: Partial<LocatedFile> = {}, signal = neverAborted) {
  const host = createTestHost();
  const offsets: number[] = [];
  const times: number[] = [];
  const progress: number[] = [];
  const file: LocatedFile = {
    role: 'weights',
    name: 'w.gguf',
    size: CONTENT.length,
    digest: DIGEST,
    ...fields,
    async open(offset, stop) {
      offsets.push(offset);
      times.push(host.clock.now());
      return await connections[Math.min(offsets.length, connections.length) - 1]!(offset, stop);
    },
  };
  /** Downloads, and advances the time until the download has ended. */
  async function run() {
    let isRunning = true;
    const job = {
      host,
      file,
      key: KEY,
      signal,
      onProgress: (completed: number) => void progress.push(completed),
    };
    const result = download(job).finally(() => {
      isRunning = false;
    });
    result.catch(() => {});
    while (isRunning) await host.time!.advance(500);
    return await result;
  }
  const partial = () => new TextDecoder().decode(Buffer.concat(host.blobs.partials.get(KEY) ?? []));
  return { host, file, offsets, times, progress, run, partial };
}

test('stores a verified blob, and leaves no partial, record or timer', async () => {
  const { host, run, progress, offsets } = fixture([sendsRest]);
  expect(await run()).toEqual({ digest: DIGEST, size: 10 });
  expect(await host.blobs.stat(DIGEST)).toEqual({ digest: DIGEST, size: 10 });
  expect([offsets, progress]).toEqual([[0], [0, 10]]);
  expect(host.blobs.partials.size).toBe(0);
  expect(await pendingBlobs(host.records).get(KEY)).toBeUndefined();
  expect(host.time!.pending).toBe(0);
});

test('a blob that is stored already is not downloaded, and its partial is deleted', async () => {
  const { host, run, offsets } = fixture([sendsRest]);
  await host.blobs.put(bytes(CONTENT));
  host.blobs.partials.set(KEY, [bytes('012')]);
  expect(await run()).toEqual({ digest: DIGEST, size: 10 });
  expect(offsets).toEqual([]);
  expect(host.blobs.partials.size).toBe(0);
});

test.each<[string, Partial<LocatedFile>, string, number[]]>([
  ['continues a partial', {}, '0123', [4]],
  ['completes a complete partial without a request', {}, CONTENT, []],
  ['starts over where the partial is longer than the file', {}, `${CONTENT}!`, [0]],
  ['starts over without digest and validator', { digest: undefined as never }, '0123', [0]],
  ['downloads a file of unknown size', { size: undefined as never }, '', [0]],
])('%s', async (_, fields, stored, expected) => {
  const { host, run, offsets } = fixture([sendsRest], fields);
  if (stored !== '') host.blobs.partials.set(KEY, [bytes(stored)]);
  expect(await run()).toEqual({ digest: DIGEST, size: 10 });
  expect(offsets).toEqual(expected);
});

test('continues a partial without a digest whose validator was recorded', async () => {
  const { host, file, run, offsets } = fixture([sendsRest], { digest: undefined as never });
  host.blobs.partials.set(KEY, [bytes('0123')]);
  await pendingBlobs(host.records).put(KEY, { name: 'w', validator: '"v1"', startedAt: 1 });
  expect(await run()).toEqual({ digest: DIGEST, size: 10 });
  expect([offsets, file.validator]).toEqual([[4], '"v1"']);
});

test('an empty file needs no connection', async () => {
  const { run, offsets } = fixture([], { size: 0, digest: undefined as never });
  expect((await run()).size).toBe(0);
  expect(offsets).toEqual([]);
});

test.each<[string, Connection]>([
  ['fails', sends('0123', new Error('reset'))],
  ['ends early', sends('0123')],
  ['falls silent', sends('0123', 'silence')],
])('continues after a connection that %s', async (_, connection) => {
  const { run, offsets, progress } = fixture([connection, sendsRest]);
  expect((await run()).digest).toBe(DIGEST);
  expect(offsets).toEqual([0, 4]);
  expect(progress).toEqual([0, 4, 4, 10]);
});

test('a connection without data is closed after 30 seconds', async () => {
  const stops: AbortSignal[] = [];
  const silent: Connection = (_, signal) =>
    new Promise((_resolve, reject) => {
      stops.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const { run, times } = fixture([silent]);
  await expect(run()).rejects.toThrow('w.gguf: no data for 30 s');
  expect(stops.every(({ aborted }) => aborted)).toBe(true);
  expect(times).toHaveLength(5);
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(30_000);
});

test('fails after five connections without a byte, and keeps the bytes for the next pull', async () => {
  const { host, run, offsets, partial } = fixture([sends('012'), refuses(new ConnectionError('refused'))]);
  await expect(run()).rejects.toThrow('refused');
  expect(offsets).toEqual([0, 3, 3, 3, 3]);
  expect(partial()).toBe('012');
  expect(await pendingBlobs(host.records).get(KEY)).toMatchObject({ name: 'w.gguf' });
});

test('any number of connections may fail that each deliver a byte', async () => {
  const oneByte: Connection = (offset, signal) => sends(CONTENT[offset]!, new Error('reset'))(offset, signal);
  const { run, offsets } = fixture([oneByte]);
  expect((await run()).digest).toBe(DIGEST);
  expect(offsets).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test.each([
  [400, 1],
  [401, 1],
  [404, 1],
  [408, 5],
  [425, 5],
  [429, 5],
  [500, 5],
  [503, 5],
])('status %i is tried %i times', async (status, tries) => {
  const { run, offsets } = fixture([refuses(new HttpStatusError(status, 'refused'))]);
  await expect(run()).rejects.toMatchObject({ status });
  expect(offsets).toHaveLength(tries);
});

test.each([
  [3000, 3000],
  [600_000, 60_000],
])('a server that asks for %i ms gets a retry after %i ms', async (retryAfter, wait) => {
  const { run, times } = fixture([refuses(new HttpStatusError(503, 'busy', retryAfter)), sendsRest]);
  await run();
  expect(times[1]! - times[0]!).toBeCloseTo(wait, 3);
});

test('a damaged download starts again once, from the beginning', async () => {
  const { host, run, offsets, progress } = fixture([sends('01234_6789'), sendsRest]);
  expect((await run()).digest).toBe(DIGEST);
  expect(offsets).toEqual([0, 0]);
  expect(progress).toEqual([0, 10, 0, 0, 10]);
  expect(host.logged).toContainEqual(expect.objectContaining({ level: 'warn' }));
});

test('a download that is damaged twice fails, and leaves no bytes', async () => {
  const { run, offsets, partial } = fixture([sends('01234_6789')]);
  await expect(run()).rejects.toThrow(DigestMismatch);
  expect([offsets, partial()]).toEqual([[0, 0], '']);
});

test('starts over when the file at the source has changed', async () => {
  const changed = refuses(new SourceChanged('changed'));
  const { file, run, offsets } = fixture([sends('0123'), changed, sendsRest], { validator: '"v1"' });
  expect((await run()).digest).toBe(DIGEST);
  expect([offsets, file.validator]).toEqual([[0, 4, 0], undefined]);
});

test('a source that sends more than it announced fails, and progress never exceeds the size', async () => {
  const { run, progress, partial } = fixture([sends(`${CONTENT}!`)]);
  await expect(run()).rejects.toThrow('w.gguf is longer than announced');
  expect(Math.max(...progress)).toBe(10);
  expect(partial()).toBe('');
});

test.each([
  [9, '', false],
  [10, '', true],
  [9, '0123', false],
  [10, '0123', true],
])('with room for %i bytes and the partial "%s": succeeds = %s', async (quota, stored, succeeds) => {
  const { host, run, offsets, partial } = fixture([sendsRest]);
  host.blobs.quota = quota;
  if (stored !== '') host.blobs.partials.set(KEY, [bytes(stored)]);
  if (succeeds) {
    expect((await run()).digest).toBe(DIGEST);
    return;
  }
  const result = run();
  await expect(result).rejects.toThrow(StorageFull);
  await expect(result).rejects.toThrow('not enough space for w.gguf: 1 MB are needed and 1 MB are free');
  expect([offsets, partial()]).toEqual([[], stored]);
});

test('a disk that fills up during a download of unknown size is not retried', async () => {
  const { host, run, offsets } = fixture([sendsRest], { size: undefined as never });
  host.blobs.quota = 5;
  await expect(run()).rejects.toThrow(StorageFull);
  expect(offsets).toEqual([0]);
});

test.each<[string, Connection]>([
  ['a connection sends', sends('0123', 'silence')],
  ['it waits for a retry', sends('0123', new HttpStatusError(503, 'busy', 60_000))],
])('a cancellation while %s keeps the bytes and rejects with its reason', async (_, connection) => {
  const abort = new AbortController();
  const reason = new Error('interrupted');
  const { host, run, offsets, partial } = fixture([connection], {}, abort.signal);
  host.clock.after(2000, () => abort.abort(reason));
  await expect(run()).rejects.toBe(reason);
  expect([offsets, partial()]).toEqual([[0], '0123']);
  expect(host.time!.pending).toBe(0);
  // The next pull can open the partial.
  await (await host.blobs.openPartial(KEY)).close();
});

test('a cancellation ends the wait for the partial of another pull', async () => {
  const abort = new AbortController();
  const reason = new Error('interrupted');
  const { host, run, offsets } = fixture([sendsRest], {}, abort.signal);
  const other = await host.blobs.openPartial(KEY);
  host.clock.after(2000, () => abort.abort(reason));
  await expect(run()).rejects.toBe(reason);
  expect(offsets).toEqual([]);
  await other.close();
});
