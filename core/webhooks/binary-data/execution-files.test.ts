import { expect, test } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryBlobs } from '#test/support/host/memory-blobs.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { ExecutionFiles } from './execution-files.ts';

function open() {
  const blobs = new MemoryBlobs();
  const records = new MemoryRecords(recordsSchema);
  return { blobs, records, files: new ExecutionFiles(blobs, records) };
}

async function* chunks(count: number, size = 16 * 1024) {
  for (let at = 0; at < count; at++) yield new Uint8Array(size).fill(at);
}

test('a small file is part of the item, a large one is a blob; both are described', async () => {
  const { blobs, files } = open();
  const of = files.of('1');
  const small = await of.receive(chunks(1, 3), { fileName: 'a.png' });
  expect(small).toEqual({
    mimeType: 'image/png',
    fileType: 'image',
    fileExtension: 'png',
    fileName: 'a.png',
    fileSize: '3 B',
    bytes: 3,
    data: 'AAAA',
  });
  const large = await of.receive(chunks(5), { mimeType: 'text/plain' });
  expect(large).toMatchObject({ mimeType: 'text/plain', bytes: 81920, data: 'filesystem-v2' });
  expect(large.id).toMatch(/^blob:sha256:[0-9a-f]{64}$/);
  expect(blobs.blobs.size).toBe(1);
  const bytes = await of.bytes(large);
  expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([81920, 0, 4]);
});

test('a file is never the same blob as a model with the same bytes', async () => {
  const { blobs, files } = open();
  const bytes = new Uint8Array(100_000).fill(7);
  const model = await blobs.put(bytes);
  const stored = await files.of('1').prepare(bytes);
  expect(await files.of('1').bytes(stored)).toEqual(bytes);
  await files.forget('1');
  expect(await blobs.list()).toEqual([model]);
});

test('nothing remains of a file that ended in an error', async () => {
  const { blobs, files } = open();
  async function* broken() {
    yield* chunks(6);
    throw new Error('gone');
  }
  await expect(files.of('1').receive(broken())).rejects.toThrow('gone');
  expect([blobs.blobs.size, blobs.partials.size]).toEqual([0, 0]);
});

test('a blob is deleted with the last execution that uses it', async () => {
  const { blobs, files } = open();
  await files.of('1').receive(chunks(5));
  await files.of('2').receive(chunks(5));
  await files.forget('1');
  expect(blobs.blobs.size).toBe(1);
  await files.forget('2');
  expect(blobs.blobs.size).toBe(0);
});

test('files of executions that never started are swept', async () => {
  const { blobs, files, records } = open();
  await files.of('1').receive(chunks(5));
  await files.of('2').receive(chunks(6));
  const next = new ExecutionFiles(blobs, records);
  await next.of('3').receive(chunks(7));
  await next.sweep(async (id) => id === '2');
  expect(
    (await records.collection<{ executionId: string }>('executionFiles').list()).map(
      ({ doc }) => doc.executionId,
    ),
  ).toEqual(['2', '3']);
  expect(blobs.blobs.size).toBe(2);
});

test('held files remain after their execution is deleted', async () => {
  const { blobs, files } = open();
  await files.of('1').receive(chunks(5));
  const [first, second] = [files.hold('1'), files.hold('1')];
  await files.forget('1');
  first();
  first();
  await files.sweep(async () => true);
  expect(blobs.blobs.size).toBe(1);
  second();
  await expect.poll(() => blobs.blobs.size).toBe(0);
});
