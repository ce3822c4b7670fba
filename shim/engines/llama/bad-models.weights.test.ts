import { mkdtempSync, rmSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Digest,
  EngineError,
  type LoadOptions,
  ModelCorrupt,
  ModelUnsupported,
  OutOfMemory,
} from '#core/host';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { nodeLlamaCppEngine } from './node-llama-cpp.ts';

const TIMEOUT = 60_000;
const options: LoadOptions = { contextLength: 256, batchSize: 128, gpuLayers: 0, threads: 1 };
let folder: string;
let originalFile: string;
/** Bytes of the real file: its header and first tensors. */
let header: Buffer;

beforeAll(async () => {
  originalFile = await smollm2();
  folder = mkdtempSync(join(tmpdir(), 'tabd-bad-'));
  header = (await readFile(originalFile)).subarray(0, 4_000_000);
}, TIMEOUT);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function load(path: string, size: number, change: Partial<LoadOptions> = {}, signal?: AbortSignal) {
  const engine = nodeLlamaCppEngine({ pathOf: () => path, gpu: false });
  return engine.load(
    [{ role: 'weights', digest: 'sha256:0' as Digest, size }],
    { ...options, ...change },
    signal ?? new AbortController().signal,
    () => {},
  );
}
async function failure(bytes: Uint8Array): Promise<Error> {
  const path = join(folder, 'model');
  await writeFile(path, bytes);
  return load(path, bytes.length).then(
    () => new Error('it loaded'),
    (error: Error) => error,
  );
}
const replaced = (from: string, to: string): Buffer =>
  Buffer.from(header.toString('latin1').replaceAll(from, to), 'latin1');

test('a file that is not a model', async () => {
  const random = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256));
  for (const bytes of [random, Buffer.from('<html>not found</html>'), Buffer.alloc(0)]) {
    const error = await failure(bytes);
    expect(error).toBeInstanceOf(ModelCorrupt);
    expect(error.message).toContain('not a GGUF');
  }
});

test(
  'a truncated file',
  async () => {
    const error = await failure(header);
    expect(error).toBeInstanceOf(ModelCorrupt);
    expect(error.message).toMatch(/tensor|bounds|corrupt/i);
    expect(await failure(header.subarray(0, 100_000))).toBeInstanceOf(ModelCorrupt);
    // A file that is shorter than its stored size is detected before a process starts.
    await expect(load(join(folder, 'model'), 5_000_000)).rejects.toThrow('100000 of 5000000 bytes');
  },
  TIMEOUT,
);

test(
  'an architecture that llama.cpp lacks',
  async () => {
    const error = await failure(replaced('llama', 'zzzzz'));
    expect(error).toBeInstanceOf(ModelUnsupported);
    expect(error.message).toContain('"zzzzz"');
  },
  TIMEOUT,
);

test(
  'a damaged header, also one that makes llama.cpp abort',
  async () => {
    const counts = Buffer.from(header);
    counts.writeBigUInt64LE(2n ** 62n, 8);
    expect(await failure(counts)).toBeInstanceOf(ModelCorrupt);
    const blocks = Buffer.from(header);
    const key = blocks.indexOf('llama.block_count');
    blocks.writeUInt32LE(0xffffff, key + 'llama.block_count'.length + 4);
    const error = await failure(blocks);
    expect(error).toBeInstanceOf(ModelCorrupt);
    expect(error.message).toContain('GGML_ASSERT');
    expect(await failure(replaced('blk.3.attn_q.weight', 'blk.3.attn_x.weight'))).toBeInstanceOf(
      ModelCorrupt,
    );
  },
  TIMEOUT,
);

test(
  'a model that does not fit into memory',
  async () => {
    const wide = await load(originalFile, 98_362_432, { contextLength: 50_000_000 }).catch(
      (error: Error) => error,
    );
    expect(wide).toBeInstanceOf(OutOfMemory);
    expect((wide as Error).message).toMatch(/context size of 50000128/);
    const path = join(folder, 'huge');
    await writeFile(path, header);
    const file = await open(path, 'r+');
    await file.truncate(2 ** 42);
    await file.close();
    const error = await load(path, 2 ** 42).catch((cause: Error) => cause);
    expect(error).toBeInstanceOf(OutOfMemory);
    expect((error as Error).message).toContain('4096.0 GiB');
  },
  TIMEOUT,
);

test('a deleted file', async () => {
  const error = await load(join(folder, 'nowhere'), 10).catch((cause: Error) => cause);
  expect(error).toBeInstanceOf(EngineError);
  expect((error as Error).message).toContain('cannot be opened');
});

test(
  'an abort during the load ends the process',
  async () => {
    const controller = new AbortController();
    const loading = load(originalFile, 98_362_432, {}, controller.signal);
    setTimeout(() => controller.abort(new Error('left')), 300);
    await expect(loading).rejects.toThrow('left');
    await expect(load(originalFile, 98_362_432, {}, controller.signal)).rejects.toThrow('left');
  },
  TIMEOUT,
);
