import { expect, it } from 'vitest';
import { fakeServer } from '../../test/support/fake-server.ts';
import { decompressZstd } from './zstd.ts';

/** Made by the `zstd` command. */
const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16));
const COMPRESSED = fromHex('28b52ffd240d6900007b226d6f64656c223a2278227d7c43cf74');

it('decompresses', () => {
  expect(new TextDecoder().decode(decompressZstd(COMPRESSED))).toBe('{"model":"x"}');
});

it.each([
  ['cut data', COMPRESSED.slice(0, -6)],
  ['other data', new TextEncoder().encode('{"a":1}')],
])('refuses %s', (_, bytes) => {
  expect(() => decompressZstd(bytes)).toThrow('failed to decompress request body');
});

it('refuses a small body that grows beyond the limit', () => {
  // A frame header of 256 KiB windows, then run-length blocks of 128 KiB each: 4 bytes stand for 131072.
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x40];
  const block = (last: boolean) => {
    const head = (131072 << 3) | (1 << 1) | Number(last);
    return [head & 255, (head >> 8) & 255, (head >> 16) & 255, 0x20];
  };
  const body = (blocks: number) =>
    Uint8Array.from([...header, ...Array.from({ length: blocks }, (_, i) => block(i === blocks - 1)).flat()]);
  expect(decompressZstd(body(160)).byteLength).toBe(20 * 1024 * 1024);
  expect(() => decompressZstd(body(161))).toThrow('failed to decompress request body');
});

it('is understood by /v1/chat/completions, which names the missing messages', async () => {
  const headers = { 'content-encoding': 'zstd' };
  const { server } = fakeServer();
  const ask = (body: Uint8Array<ArrayBuffer>) =>
    server.fetch(
      new Request('http://127.0.0.1:11434/v1/chat/completions', { method: 'POST', body, headers }),
      { listener: 'local-models', loopback: true, clientAddress: '127.0.0.1', appOrigins: [] },
    );
  expect((await (await ask(COMPRESSED)).json()).error.message).toBe("[] is too short - 'messages'");
  const bad = await ask(new Uint8Array([1, 2, 3]));
  expect([bad.status, (await bad.json()).error.message]).toEqual([400, 'failed to decompress request body']);
});
