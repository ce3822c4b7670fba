import { expect, it } from 'vitest';
import { openOpfsPartial } from './opfs-partial.ts';

const STORAGE_FULL = {
  name: 'StorageFull',
  message: 'the storage of this site is full: delete models, or free disk space',
};
const bytes = new Uint8Array(10);

/** A partial whose file exceeds the quota in one operation. No browser can be made to do so on demand. */
function openFullPartial(operation: 'write' | 'truncate' | 'flush') {
  const exceedQuota = () => {
    throw new DOMException('The operation failed', 'QuotaExceededError');
  };
  const file = {
    write: operation === 'flush' ? (chunk: Uint8Array) => chunk.length : exceedQuota,
    truncate: operation === 'truncate' ? exceedQuota : () => {},
    flush: operation === 'flush' ? exceedQuota : () => {},
    getSize: () => 0,
    read: () => 0,
    close: () => {},
  };
  const folder = { getFileHandle: async () => ({ createSyncAccessHandle: async () => file }) };
  const handle = folder as unknown as FileSystemDirectoryHandle;
  return openOpfsPartial(handle, handle, 'x', () => {});
}

it.each(['write', 'truncate'] as const)(
  'append rejects with StorageFull when %s exceeds the quota',
  async (operation) => {
    const partial = await openFullPartial(operation);
    await expect(partial.append(bytes)).rejects.toMatchObject(STORAGE_FULL);
    await partial.close();
  },
);

it('close rejects with StorageFull when its flush exceeds the quota', async () => {
  const partial = await openFullPartial('flush');
  await partial.append(bytes);
  await expect(partial.close()).rejects.toMatchObject(STORAGE_FULL);
});
