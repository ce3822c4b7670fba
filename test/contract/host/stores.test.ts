// Runs the contracts on every store except the browser's, which test/browser/relay/host.spec.ts tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { DiskFiles } from '#shim/storage/disk-files.ts';
import { FileBlobs } from '#shim/storage/file-blobs.ts';
import { ForeignFolder } from '#shim/storage/foreign-folder.ts';
import { MountedFiles } from '#shim/storage/mounted-files.ts';
import { SqliteRecords } from '#shim/storage/sqlite-records.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { MemoryBlobs } from '../../support/host/memory-blobs.ts';
import { blobCases } from './blobs.ts';
import { fileCases } from './files.ts';
import { recordCases } from './records.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabd-contract-'));
let number = 0;
const fresh = () => join(folder, String(++number));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('blobs in files', () => {
  test.each(blobCases)('$name', async ({ run }) => {
    const place = fresh();
    await run({ open: async () => new FileBlobs(place) });
  });
});

describe('blobs in memory', () => {
  test.each(blobCases)('$name', async ({ run }) => {
    const blobs = new MemoryBlobs();
    await run({ open: async () => blobs });
  });
});

describe('files on disk', () => {
  test.each(fileCases)('$name', async ({ run }) => {
    const place = fresh();
    await run({ open: async () => new DiskFiles(place) });
  });
});

describe('files on disk with mounted folders', () => {
  test.each(fileCases)('$name', async ({ run }) => {
    const place = fresh();
    const mounts = new Map([['models', new ForeignFolder(fresh(), createTestHost().log)]]);
    await run({ open: async () => new MountedFiles(new DiskFiles(place), mounts) });
  });
});

describe('files in memory', () => {
  test.each(fileCases)('$name', async ({ run }) => {
    const files = new MemoryFiles();
    await run({ open: async () => files });
  });
});

describe('records in SQLite', () => {
  test.each(recordCases)('$name', async ({ run }) => {
    const place = fresh();
    await run({
      async open(store, schema) {
        const records = new SqliteRecords(`${place}-${store}.sqlite`, schema);
        return { records, close: () => records.close() };
      },
    });
  });
});
