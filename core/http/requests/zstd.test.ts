import { expect, it } from 'vitest';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { decompressZstd } from './zstd.ts';

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16));
/** Compressed by the `zstd` command. */
const COMPRESSED = fromHex('28b52ffd240d6900007b226d6f64656c223a2278227d7c43cf74');

it('decompresses', async () => {
  expect(new TextDecoder().decode(await decompressZstd(COMPRESSED))).toBe('{"model":"x"}');
});

it.each([
  ['cut data', COMPRESSED.slice(0, -6)],
  ['other data', new TextEncoder().encode('{"a":1}')],
  ['no data', new Uint8Array()],
  ['more data than can be one body', new Uint8Array(22 * 1024 * 1024)],
])('refuses %s', async (_, bytes) => {
  await expect(decompressZstd(bytes)).rejects.toThrow('failed to decompress request body');
});

it('refuses a small body that grows beyond the limit', async () => {
  // A frame header of 256 KiB windows, then run-length blocks of 128 KiB each: 4 bytes stand for 131072.
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x40];
  const block = (last: boolean) => {
    const head = (131072 << 3) | (1 << 1) | Number(last);
    return [head & 255, (head >> 8) & 255, (head >> 16) & 255, 0x20];
  };
  const body = (blocks: number) =>
    Uint8Array.from([...header, ...Array.from({ length: blocks }, (_, i) => block(i === blocks - 1)).flat()]);
  expect((await decompressZstd(body(160))).byteLength).toBe(20 * 1024 * 1024);
  await expect(decompressZstd(body(161))).rejects.toThrow('failed to decompress request body');
});

const joined = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
/** A frame with a window of 2^(10 + `exponent`) bytes. */
const frameOf = (exponent: number, ...blocks: Uint8Array[]) =>
  joined(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, exponent << 3), ...blocks);
const LAST_BLOCK = Uint8Array.of(1, 0, 0);

it('decompresses all frames of a body, and allocates no window', async () => {
  const skippable = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0x01, 0x00, 0x00, 0x00, 0xff);
  const body = joined(COMPRESSED, skippable, frameOf(20, LAST_BLOCK), COMPRESSED);
  await decompressZstd(COMPRESSED);
  const before = process.memoryUsage().arrayBuffers;
  expect((await decompressZstd(body)).byteLength).toBe(26);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
});

it('decompresses a great many empty blocks and frames with large windows at once', async () => {
  // Three bytes of zeros are an empty block.
  const blocks = new Uint8Array(3 * 100_000);
  const frames = joined(...Array.from({ length: 10_000 }, () => frameOf(15, LAST_BLOCK)));
  const body = joined(COMPRESSED, frameOf(15, blocks, LAST_BLOCK), frames);
  expect((await decompressZstd(body)).byteLength).toBe(13);
});

/** The error of each route for the smallest body: it shows that the body was read. */
const ROUTES = [
  ['/v1/chat/completions', "[] is too short - 'messages'"],
  ['/v1/completions', "model 'x' not found"],
  ['/v1/embeddings', 'invalid input'],
  ['/v1/responses', "model 'x' not found"],
  ['/v1/messages', 'max_tokens is required and must be positive'],
];

it.each(ROUTES)('%s reads compressed bodies', async (path, message) => {
  const headers = { 'content-encoding': 'zstd' };
  const { ask } = fakeServer();
  const send = (body: Uint8Array<ArrayBuffer>) => ask('POST', path!, undefined, { body, headers });
  expect((await (await send(COMPRESSED)).json()).error.message).toBe(message);
  const bad = await send(new Uint8Array([1, 2, 3]));
  expect([bad.status, (await bad.json()).error.message]).toEqual([400, 'failed to decompress request body']);
});
