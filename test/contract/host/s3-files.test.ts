import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BlobMissing, type Digest, StorageFull } from '#core/host';
import { FileBlobs } from '#shim/storage/file-blobs.ts';
import { LocalCache } from '#shim/storage/s3/local-cache.ts';
import { S3Blobs } from '#shim/storage/s3/s3-blobs.ts';
import { S3Files } from '#shim/storage/s3/s3-files.ts';
import { S3Objects } from '#shim/storage/s3/s3-objects.ts';
import { readS3Url } from '#shim/storage/s3/s3-place.ts';
import { S3Requests } from '#shim/storage/s3/s3-request.ts';
import { type S3Server, startS3 } from '#test/support/servers/s3.ts';
import { blobCases, digestOf, pattern } from './blobs.ts';
import { fileCases } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabd-s3-'));
let number = 0;
const fresh = () => join(folder, String(++number));
let server: S3Server;
beforeAll(async () => {
  server = await startS3();
}, 400_000);
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openBucket(retryFor?: number): Promise<S3Objects> {
  const env = await server.newBucket();
  return new S3Objects(new S3Requests(readS3Url(env.TABD_FILES_URL, env), retryFor));
}
const filesOf = (objects: S3Objects, place = fresh()) =>
  new S3Files(objects, new LocalCache(join(place, 'cache'), 2 ** 30), join(place, 'scratch'));
const blobsOf = (objects: S3Objects, place: string, largest = 2 ** 30) =>
  new S3Blobs(objects, new FileBlobs(join(place, 'partials')), new LocalCache(join(place, 'cache'), largest));

describe('files in S3', () => {
  test.each(fileCases)('$name', async ({ run }) => {
    const objects = await openBucket();
    await run({ open: async () => filesOf(objects) });
  });
});

describe('blobs in S3', () => {
  test.each(blobCases)('$name', async ({ run }) => {
    const [objects, place] = [await openBucket(), fresh()];
    const blobs = blobsOf(objects, place);
    await run({ open: async () => blobs });
  });
});

const readAll = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

test('names with any characters, and more files than one page of a list', async () => {
  const objects = await openBucket();
  const files = filesOf(objects);
  const names = ['a b', 'a+b', '%41', 'ü?&#', "it's (1)*!", '日本', '~'];
  await Promise.all(names.map((name) => files.write(`d/${name}`, new TextEncoder().encode(name))));
  expect((await files.names('d'))!.sort()).toEqual([...names].sort());
  for (const name of names) expect(new TextDecoder().decode(await files.read(`d/${name}`))).toBe(name);
  const { objects: page } = await objects.list('files/d/', { limit: 3 });
  expect(page).toHaveLength(3);
  await files.move('d', 'e');
  expect(await files.names('d')).toBeUndefined();
  expect((await files.names('e'))!.sort()).toEqual([...names].sort());
});

test('a large file is sent in parts, read in ranges and copied', async () => {
  const objects = await openBucket();
  const files = filesOf(objects);
  const bytes = pattern(40_000_000);
  const writer = await files.create('d/large');
  await writer.write(0, bytes);
  await writer.close();
  expect((await files.stat('d/large'))!.size).toBe(bytes.length);
  const etag = (await objects.head('files/d/large'))!.etag;
  expect(etag).toMatch(/-3"$/);
  const middle = (await files.body('d/large', 15_000_000, 35_000_000)) as ReadableStream<Uint8Array>;
  expect(Buffer.compare(await readAll(middle), bytes.subarray(15_000_000, 35_000_000))).toBe(0);
  await files.move('d/large', 'e/large');
  const copy = await files.pathOf('e/large');
  expect(statSync(copy).size).toBe(bytes.length);
  expect(await files.pathOf('e/large')).toBe(copy);
});

test('the cache has a bound, and the copies used longest ago leave it', async () => {
  const [objects, place] = [await openBucket(), fresh()];
  const blobs = blobsOf(objects, place, 250_000);
  const digests: Digest[] = [];
  for (const seed of [1, 2, 3]) {
    const partial = await blobs.openPartial(`k${seed}`);
    await partial.append(pattern(100_000, seed));
    digests.push((await partial.commit()).digest);
  }
  const cache = new LocalCache(join(place, 'cache'), 0);
  const cached = async () =>
    (await Promise.all(digests.map((each) => cache.find(`blobs/${each.replace(':', '-')}`)))).map(Boolean);
  expect(await cached()).toEqual([false, true, true]);
  // The other worker has no copies yet, and all of its requests share one download.
  const other = blobsOf(objects, fresh(), 250_000);
  const paths = await Promise.all([1, 2, 3].map(() => other.pathOf(digests[0]!)));
  expect(new Set(paths).size).toBe(1);
  expect(statSync(paths[0]!).size).toBe(100_000);
  const large = await blobs.openPartial('large');
  await large.append(pattern(300_000, 4));
  const { digest } = await large.commit();
  await expect(other.pathOf(digest)).rejects.toThrow(StorageFull);
  expect(await digestOf(await readAll(other.read(digest)))).toBe(digest);
  await expect(other.pathOf(`sha256:${'0'.repeat(64)}`)).rejects.toThrow(BlobMissing);
});

/** Passes requests to the server, unless `disturb` answers them. */
async function disturbed(
  disturb: (request: IncomingMessage, response: ServerResponse, count: number) => boolean,
  retryFor?: number,
): Promise<{ objects: S3Objects; close(): void }> {
  const env = await server.newBucket();
  const target = new URL(new URL(env.TABD_FILES_URL).searchParams.get('endpoint')!);
  let count = 0;
  const proxy: Server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    if (disturb(request, response, ++count)) return;
    const answer = await fetch(new URL(request.url!, target), {
      method: request.method,
      headers: Object.entries(request.headers).filter(
        ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
      ) as [string, string][],
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = env.TABD_FILES_URL.replace(target.port, String((proxy.address() as AddressInfo).port));
  return {
    objects: new S3Objects(new S3Requests(readS3Url(url, env), retryFor)),
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

test('503, a closed connection and half an object are repeated', async () => {
  const { objects, close } = await disturbed((request, response, count) => {
    if (count % 2 === 0) return false;
    if (count % 3 === 0) response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    else if (request.method === 'GET') response.writeHead(206, { 'content-length': 1000 }).write('half');
    setTimeout(() => response.destroy(), 20);
    return true;
  });
  try {
    const files = filesOf(objects);
    const bytes = pattern(2_000_000);
    await files.write('d/x', bytes);
    expect(Buffer.compare(await files.read('d/x'), bytes)).toBe(0);
    expect(await files.names('d')).toEqual(['x']);
  } finally {
    close();
  }
});

test('a stream that breaks off continues where it was', async () => {
  const bytes = pattern(3_000_000);
  let breaks = 3;
  const { objects, close } = await disturbed((request, response) => {
    if (request.method !== 'GET' || breaks === 0 || !request.headers.range) return false;
    breaks -= 1;
    const start = Number(/=(\d+)-/.exec(request.headers.range)![1]);
    response.writeHead(206, { 'content-length': bytes.length - start });
    response.write(bytes.subarray(start, start + 500_000), () => setTimeout(() => response.destroy(), 50));
    return true;
  });
  try {
    const files = filesOf(objects);
    await files.write('x', bytes);
    const body = (await files.body('x')) as ReadableStream<Uint8Array>;
    expect(Buffer.compare(await readAll(body), bytes)).toBe(0);
    expect(breaks).toBe(0);
  } finally {
    close();
  }
});

test('a store that stays away, or refuses, is an error that says so', async () => {
  const away = await disturbed((_, response) => {
    response.writeHead(503).end('<Error><Code>SlowDown</Code><Message>later</Message></Error>');
    return true;
  }, 100);
  await expect(filesOf(away.objects).read('x')).rejects.toMatchObject({
    name: 'FilesUnavailable',
    message: `${away.objects.name} cannot be used: it answered 503 (SlowDown: later)`,
  });
  away.close();
  await expect(filesOf(away.objects).read('x')).rejects.toThrow('it does not answer');
  const full = await disturbed((_, response) => {
    response.writeHead(507).end('<Error><Code>XMinioStorageFull</Code></Error>');
    return true;
  });
  await expect(filesOf(full.objects).write('x', new Uint8Array(1))).rejects.toThrow(StorageFull);
  full.close();
  const env = await server.newBucket();
  const wrong = readS3Url(env.TABD_FILES_URL.replace(/bucket-\d+/, 'no-such-bucket'), env);
  await expect(new S3Objects(new S3Requests(wrong)).list('')).rejects.toThrow('there is no such bucket');
});

test.each([
  ['s3://', {}, 'must look like s3://'],
  ['s3://b_d/x', {}, 'must look like s3://'],
  ['s3://bucket?endpoint=here', {}, 'the endpoint of TABD_FILES_URL is not an address: here'],
  [
    's3://bucket',
    { AWS_ACCESS_KEY_ID: 'a' },
    'needs the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ],
])('%s is refused', (url, env, message) => {
  expect(() => readS3Url(url, env)).toThrow(message);
});

test('without an endpoint the bucket is a part of the host', () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1' };
  expect(readS3Url('s3://bucket/x/y/', env)).toMatchObject({
    bucketUrl: 'https://bucket.s3.eu-west-1.amazonaws.com/',
    prefix: 'x/y/',
    name: 's3://bucket/x/y',
  });
});
