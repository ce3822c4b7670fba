import { expect, it } from 'vitest';
import { openOpfsPartial } from './opfs-partial.ts';

const FULL = {
  name: 'StorageFull',
  message: 'the storage of this site is full: delete models, or free disk space',
};
const bytes = new Uint8Array(10);

/** A file of which one operation finds the quota used up; a browser does not let itself be asked for that. */
function fullAt(operation: 'write' | 'truncate' | 'flush') {
  const refuse = () => {
    throw new DOMException('The operation failed', 'QuotaExceededError');
  };
  const file = {
    write: operation === 'flush' ? (piece: Uint8Array) => piece.length : refuse,
    truncate: operation === 'truncate' ? refuse : () => {},
    flush: operation === 'flush' ? refuse : () => {},
    getSize: () => 0,
    read: () => 0,
    close: () => {},
  };
  const folder = { getFileHandle: async () => ({ createSyncAccessHandle: async () => file }) };
  const handle = folder as unknown as FileSystemDirectoryHandle;
  return openOpfsPartial(handle, handle, 'x', () => {});
}

it.each(['write', 'truncate'] as const)(
  'a quota that %s finds used up is told as such',
  async (operation) => {
    const partial = await fullAt(operation);
    await expect(partial.append(bytes)).rejects.toMatchObject(FULL);
    await partial.close();
  },
);

it('a quota that is found used up only when the file is closed is told as such', async () => {
  const partial = await fullAt('flush');
  await partial.append(bytes);
  await expect(partial.close()).rejects.toMatchObject(FULL);
});
