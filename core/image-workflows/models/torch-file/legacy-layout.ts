/** The layout of torch.save before torch 1.6: pickles one after the other, then the storages. */
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import type { ReadRange } from '#core/tensors';
import { TorchObjects } from './torch-objects.ts';
import type { TorchStorage } from './torch-tensor.ts';
import { MAX_PICKLE, unpickle } from './unpickle.ts';

/** The first value of these files. The lowest of its 80 bits are lost, also of the number that is read. */
const MAGIC = Number(0x1950a86a20f9469cfc6cn);
/** The second value: the version of the layout. */
const VERSION = 1001;

/** The number of elements before each storage, in bytes. */
const COUNT_SIZE = 8;
/** Counts that are read at the same time. */
const BATCH = 64;

/**
 * The saved value. Its storages have their positions.
 * Rejects with `ModelCorrupt` for damaged files and for other pickles, and with `ModelUnsupported` for other versions.
 */
export async function readLegacyLayout(size: number, read: ReadRange): Promise<unknown> {
  const bytes = await read(0, Math.min(size, MAX_PICKLE));
  const objects = new TorchObjects();
  let at = 0;
  const next = (): unknown => {
    const { value, end } = unpickle(bytes, objects, at);
    at = end;
    return value;
  };
  if (next() !== MAGIC) throw new ModelCorrupt('it is a pickle that torch.save did not write');
  const version = next();
  if (version !== VERSION)
    throw new ModelUnsupported(
      `its layout has the version ${String(version).slice(0, 20)}: save it again with a newer torch`,
    );
  const system = next();
  if (system instanceof Map && system.get('little_endian') === false)
    throw new ModelUnsupported('its numbers are big endian: save it again on a little-endian computer');
  const value = next();
  await locate(storagesInOrder(next(), objects), at, size, read);
  return value;
}

/** @param keys of the storages, in the order of the file */
function storagesInOrder(keys: unknown, { storages }: TorchObjects): TorchStorage[] {
  if (!Array.isArray(keys) || keys.length !== storages.size || new Set(keys).size !== storages.size)
    throw new ModelCorrupt('its list of storages is inconsistent');
  return keys.map((key) => {
    const storage = storages.get(key);
    if (!storage) throw new ModelCorrupt('its list of storages is inconsistent');
    return storage;
  });
}

/** @param at the position of the first storage's count */
async function locate(
  storages: readonly TorchStorage[],
  at: number,
  size: number,
  read: ReadRange,
): Promise<void> {
  let end = at;
  for (const storage of storages) {
    storage.start = end + COUNT_SIZE;
    end = storage.start + storage.size;
  }
  if (!(end <= size)) throw new ModelCorrupt('its storages end early');
  for (let first = 0; first < storages.length; first += BATCH)
    await Promise.all(
      storages.slice(first, first + BATCH).map(async ({ key, start, count }) => {
        const bytes = await read(start! - COUNT_SIZE, start!);
        const written = new DataView(bytes.buffer, bytes.byteOffset, COUNT_SIZE).getBigInt64(0, true);
        if (written !== BigInt(count))
          throw new ModelCorrupt(`its storage ${key} has ${written} numbers instead of ${count}`);
      }),
    );
}
