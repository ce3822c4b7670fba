import { expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { readPieces } from './read-pieces.ts';

const MEGABYTE = 1024 * 1024;

/** A stream of zeroed chunks with these lengths, which ends, fails, or stays open. */
function stream(lengths: number[], end: 'close' | 'open' | { error: unknown } = 'close') {
  const cancelled: unknown[] = [];
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < lengths.length) controller.enqueue(new Uint8Array(lengths[at++]!));
      else if (end === 'close') controller.close();
      else if (end === 'open') return new Promise(() => {});
      else controller.error(end.error);
      return undefined;
    },
    cancel: (reason) => void cancelled.push(reason),
  });
  return { body, cancelled };
}

/** Lengths of the pieces, reports of arrived bytes, and the error. */
async function read(body: ReadableStream<Uint8Array>, signal = neverAborted, onBytes = (_: number) => {}) {
  const pieces: number[] = [];
  const arrived: number[] = [];
  const report = (bytes: number) => {
    arrived.push(bytes);
    onBytes(bytes);
  };
  try {
    for await (const piece of readPieces(body, signal, report)) pieces.push(piece.length);
    return { pieces, arrived, error: undefined };
  } catch (error) {
    return { pieces, arrived, error };
  }
}

test.each<[string, number[], number[]]>([
  ['no chunk', [], []],
  ['empty chunks', [0, 0], []],
  ['small chunks', [1, 2, 3], [6]],
  ['a byte less than a piece', [MEGABYTE - 1], [MEGABYTE - 1]],
  ['exactly a piece', [MEGABYTE - 1, 1], [MEGABYTE]],
  ['a piece and a rest', [MEGABYTE, 1], [MEGABYTE, 1]],
  ['a chunk larger than a piece', [1, 3 * MEGABYTE, 2], [3 * MEGABYTE + 1, 2]],
])('joins %s', async (_, chunks, pieces) => {
  expect(await read(stream(chunks).body)).toEqual({ pieces, arrived: chunks, error: undefined });
});

test('keeps the order of the bytes', async () => {
  const body = new Blob(['ab', 'cd']).stream();
  const pieces = readPieces(body, neverAborted, () => {});
  expect(new TextDecoder().decode((await pieces.next()).value as Uint8Array)).toBe('abcd');
});

test('yields the bytes that arrived before a failure', async () => {
  const error = new Error('reset');
  expect(await read(stream([3, 4], { error }).body)).toEqual({ pieces: [7], arrived: [3, 4], error });
});

test('a failure without a reason is still a failure', async () => {
  const { pieces, error } = await read(stream([3], { error: undefined }).body);
  expect(pieces).toEqual([3]);
  expect(String(error)).toBe('Error: the stream failed');
});

test('yields the bytes that arrived before an abort, and cancels the stream', async () => {
  const abort = new AbortController();
  const { body, cancelled } = stream([3], 'open');
  const reason = new Error('interrupted');
  const result = await read(body, abort.signal, () => setTimeout(() => abort.abort(reason), 5));
  expect(result).toEqual({ pieces: [3], arrived: [3], error: reason });
  expect(cancelled).toEqual([reason]);
});

test('a signal that aborted earlier ends a stream that sends nothing', async () => {
  const { body, cancelled } = stream([], 'open');
  const reason = new Error('interrupted');
  expect(await read(body, AbortSignal.abort(reason))).toEqual({ pieces: [], arrived: [], error: reason });
  expect(cancelled).toEqual([reason]);
});

test('cancels the stream when its reader stops early', async () => {
  const { body, cancelled } = stream([MEGABYTE, MEGABYTE], 'open');
  for await (const piece of readPieces(body, neverAborted, () => {})) {
    expect(piece).toHaveLength(MEGABYTE);
    break;
  }
  expect(cancelled).toHaveLength(1);
});
