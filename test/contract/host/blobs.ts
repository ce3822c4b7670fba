/** The contract of every store of blobs. */
import { createSHA256 } from 'hash-wasm';
import type { Blobs, Digest } from '#core/host';
import { assert, type Case, equal, failure } from './assert.ts';

export interface BlobsEnvironment {
  /** Opens the same storage again, as another process or worker does after the first has ended. */
  open(): Promise<Blobs>;
}

const MISSING: Digest = `sha256:${'0'.repeat(64)}`;

/** Bytes that differ by position, so that a shifted or repeated part is found. */
export function pattern(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed >>> 0;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

export async function digestOf(bytes: Uint8Array): Promise<Digest> {
  return `sha256:${(await createSHA256()).init().update(bytes).digest('hex')}`;
}

async function store(blobs: Blobs, key: string, bytes: Uint8Array): Promise<Digest> {
  const partial = await blobs.openPartial(key);
  await partial.append(bytes);
  return (await partial.commit()).digest;
}

/** Reads the stream directly: a `Response` around it would replace its error by another one. */
async function readAll(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function sameBytes(actual: Uint8Array, expected: Uint8Array, what: string): Promise<void> {
  equal(actual.length, expected.length, `${what}: length`);
  equal(await digestOf(actual), await digestOf(expected), `${what}: bytes`);
}

export const blobCases: Case<BlobsEnvironment>[] = [
  {
    name: 'bytes appended in pieces become a blob under their digest',
    async run({ open }) {
      const blobs = await open();
      const bytes = pattern(3_000_001);
      const partial = await blobs.openPartial('pieces');
      for (let at = 0; at < bytes.length; at += 700_001)
        await partial.append(bytes.subarray(at, at + 700_001));
      equal(partial.size, bytes.length, 'size of the partial');
      const digest = await digestOf(bytes);
      equal(await partial.commit(digest), { digest, size: bytes.length }, 'what commit says');
      equal(await blobs.stat(digest), { digest, size: bytes.length }, 'stat');
      await sameBytes(await readAll(blobs.read(digest)), bytes, 'read');
      assert(
        (await blobs.list()).some((info) => info.digest === digest),
        'the blob in the list',
      );
      equal(await blobs.delete(digest), true, 'delete');
    },
  },
  {
    name: 'a range of a blob, and one that reaches past its end',
    async run({ open }) {
      const blobs = await open();
      const bytes = pattern(100_000, 2);
      const digest = await store(blobs, 'range', bytes);
      await sameBytes(
        await readAll(blobs.read(digest, 1_000, 70_001)),
        bytes.subarray(1_000, 70_001),
        'middle',
      );
      await sameBytes(await readAll(blobs.read(digest, 99_990)), bytes.subarray(99_990), 'to the end');
      await sameBytes(
        await readAll(blobs.read(digest, 99_990, 200_000)),
        bytes.subarray(99_990),
        'past the end',
      );
      equal((await readAll(blobs.read(digest, 5, 5))).length, 0, 'an empty range');
      await blobs.delete(digest);
    },
  },
  {
    name: 'reading can be given up half-way',
    async run({ open }) {
      const blobs = await open();
      const digest = await store(blobs, 'cancel', pattern(2_000_000, 3));
      const reader = blobs.read(digest).getReader();
      const first = await reader.read();
      assert(!first.done && first.value.length > 0, 'a first piece');
      await reader.cancel();
      equal(await blobs.delete(digest), true, 'delete after a cancelled read');
    },
  },
  {
    name: 'a blob that is not there',
    async run({ open }) {
      const blobs = await open();
      equal(await blobs.stat(MISSING), undefined, 'stat');
      equal(await blobs.delete(MISSING), false, 'delete');
      equal((await failure(async () => readAll(blobs.read(MISSING)))).name, 'BlobMissing', 'read');
    },
  },
  {
    name: 'the empty blob',
    async run({ open }) {
      const blobs = await open();
      const partial = await blobs.openPartial('empty');
      const { digest, size } = await partial.commit();
      equal(size, 0, 'size');
      equal(await blobs.stat(digest), { digest, size: 0 }, 'stat');
      equal((await readAll(blobs.read(digest))).length, 0, 'read');
      await blobs.delete(digest);
    },
  },
  {
    name: 'a partial is resumed where it was left, hashed from its beginning',
    async run({ open }) {
      const bytes = pattern(2_500_000, 4);
      const first = await (await open()).openPartial('resume');
      await first.append(bytes.subarray(0, 1_200_000));
      await first.close();
      const blobs = await open();
      const second = await blobs.openPartial('resume');
      equal(second.size, 1_200_000, 'size found');
      await second.append(bytes.subarray(1_200_000));
      const { digest } = await second.commit(await digestOf(bytes));
      await sameBytes(await readAll(blobs.read(digest)), bytes, 'the whole');
      const third = await blobs.openPartial('resume');
      equal(third.size, 0, 'size of a new partial under the same key');
      await third.close();
      await sameBytes(await readAll(blobs.read(digest)), bytes, 'the whole, after the key was opened again');
      await blobs.delete(digest);
    },
  },
  {
    name: 'truncate starts over',
    async run({ open }) {
      const blobs = await open();
      const partial = await blobs.openPartial('truncate');
      await partial.append(pattern(1_500_000, 5));
      await partial.truncate();
      equal(partial.size, 0, 'size after truncate');
      const bytes = pattern(500, 6);
      await partial.append(bytes);
      const { digest } = await partial.commit();
      equal(digest, await digestOf(bytes), 'digest');
      await sameBytes(await readAll(blobs.read(digest)), bytes, 'read');
      await blobs.delete(digest);
    },
  },
  {
    name: 'the wrong digest makes no blob and keeps no bytes',
    async run({ open }) {
      const blobs = await open();
      const bytes = pattern(10_000, 7);
      const partial = await blobs.openPartial('wrong');
      await partial.append(bytes);
      const error = await failure(() => partial.commit(MISSING));
      equal(error.name, 'DigestMismatch', 'error');
      assert(error.message.includes(MISSING), 'the expected digest in the message');
      equal(await blobs.stat(MISSING), undefined, 'a blob under the expected digest');
      equal(await blobs.stat(await digestOf(bytes)), undefined, 'a blob under the actual digest');
      const again = await blobs.openPartial('wrong');
      equal(again.size, 0, 'bytes left');
      await again.close();
    },
  },
  {
    name: 'committing what is already there keeps it',
    async run({ open }) {
      const blobs = await open();
      const bytes = pattern(50_000, 8);
      const digest = await store(blobs, 'twice-a', bytes);
      equal(await store(blobs, 'twice-b', bytes), digest, 'digest of the second');
      await sameBytes(await readAll(blobs.read(digest)), bytes, 'read');
      equal((await blobs.list()).filter((info) => info.digest === digest).length, 1, 'entries in the list');
      await blobs.delete(digest);
    },
  },
  {
    name: 'a second writer waits for the first, and its wait can be ended',
    async run({ open }) {
      const blobs = await open();
      const first = await blobs.openPartial('locked');
      await first.append(pattern(10, 9));
      const ending = new AbortController();
      const ended = failure(() => blobs.openPartial('locked', ending.signal));
      let second = false;
      const waiting = blobs.openPartial('locked').then((partial) => {
        second = true;
        return partial;
      });
      const other = await blobs.openPartial('another key');
      await other.close();
      ending.abort(new Error('left'));
      equal((await ended).message, 'left', 'reason');
      assert(!second, 'the second writer still waiting');
      await first.close();
      const partial = await waiting;
      equal(partial.size, 10, 'what the second finds');
      await partial.truncate();
      await partial.close();
    },
  },
  {
    name: 'keys may hold anything',
    async run({ open }) {
      const blobs = await open();
      for (const key of [
        'https://example.com/a/b?c=d#e',
        'sha256:abc',
        '../../up',
        'ünïcode 🙂',
        'a'.repeat(500),
      ]) {
        const bytes = new TextEncoder().encode(key);
        const digest = await store(blobs, key, bytes);
        await sameBytes(await readAll(blobs.read(digest)), bytes, key);
        await blobs.delete(digest);
      }
    },
  },
  {
    name: 'a closed partial takes nothing more',
    async run({ open }) {
      const blobs = await open();
      const partial = await blobs.openPartial('closed');
      await partial.close();
      await partial.close();
      await failure(() => partial.append(pattern(1)));
    },
  },
  {
    name: 'a deleted partial is gone with its bytes, when its writer has closed',
    async run({ open }) {
      const blobs = await open();
      const partial = await blobs.openPartial('to delete');
      await partial.append(pattern(3_000_000, 11));
      let deleted = false;
      const deleting = blobs.deletePartial('to delete').then(() => {
        deleted = true;
      });
      const ending = new AbortController();
      const ended = failure(() => blobs.deletePartial('to delete', ending.signal));
      ending.abort(new Error('left'));
      equal((await ended).message, 'left', 'reason');
      assert(!deleted, 'not while it is written');
      await partial.close();
      await deleting;
      const again = await blobs.openPartial('to delete');
      equal(again.size, 0, 'bytes left');
      await again.close();
      await blobs.deletePartial('to delete');
      await blobs.deletePartial('never there');
    },
  },
  {
    name: 'free space is a number of bytes, or unknown',
    async run({ open }) {
      const free = await (await open()).freeSpace();
      assert(free === undefined || (Number.isFinite(free) && free >= 0), `a plausible number, not ${free}`);
    },
  },
];
