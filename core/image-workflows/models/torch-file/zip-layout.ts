/** The layout of torch.save since torch 1.6: an uncompressed archive of a pickle and of storages. */
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import type { ReadRange } from '#core/tensors';
import { TorchObjects } from './torch-objects.ts';
import type { TorchStorage } from './torch-tensor.ts';
import { MAX_PICKLE, unpickle } from './unpickle.ts';
import { readZipDirectory, type ZipEntry, zipEntryStart } from './zip-directory.ts';

/** Headers that are read at the same time. */
const BATCH = 64;

/**
 * The saved value. Its storages have their positions.
 * Rejects with `ModelCorrupt` for a damaged archive, and with `ModelUnsupported` for another kind of archive.
 */
export async function readZipLayout(size: number, read: ReadRange): Promise<unknown> {
  const archive = new Archive(size, read, await readZipDirectory(size, read));
  const order = await archive.text('byteorder');
  if (order !== undefined && order !== 'little')
    throw new ModelUnsupported(
      `its numbers are ${order.slice(0, 20)} endian: save it again on a little-endian computer`,
    );
  const objects = new TorchObjects();
  const { value } = unpickle(await archive.pickle(), objects);
  const storages = [...objects.storages.values()];
  for (let first = 0; first < storages.length; first += BATCH)
    await Promise.all(storages.slice(first, first + BATCH).map((storage) => archive.locate(storage)));
  rejectOverlaps(storages);
  return value;
}

class Archive {
  /** The folder of all entries, with a slash. */
  readonly #folder: string;

  constructor(
    private readonly size: number,
    private readonly read: ReadRange,
    private readonly entries: ReadonlyMap<string, ZipEntry>,
  ) {
    const table = [...entries.keys()].find((name) => name.endsWith('/data.pkl'));
    if (table === undefined) throw new ModelCorrupt('it is an archive without a table of tensors');
    this.#folder = table.slice(0, -'data.pkl'.length);
    if (entries.has(`${this.#folder}constants.pkl`))
      throw new ModelUnsupported(
        'it holds a program of TorchScript: save the state_dict() of its module as safetensors',
      );
  }

  async pickle(): Promise<Uint8Array> {
    const entry = this.entries.get(`${this.#folder}data.pkl`)!;
    if (entry.size > MAX_PICKLE) throw new ModelCorrupt(`its table of tensors has ${entry.size} bytes`);
    return this.#bytes(entry);
  }

  /** The beginning of a text. Undefined when there is no such entry. */
  async text(name: string): Promise<string | undefined> {
    const entry = this.entries.get(this.#folder + name);
    return (
      entry && new TextDecoder().decode(await this.#bytes({ ...entry, size: Math.min(entry.size, 100) }))
    );
  }

  async locate(storage: TorchStorage): Promise<void> {
    const entry = this.entries.get(`${this.#folder}data/${storage.key}`);
    if (!entry) throw new ModelCorrupt(`its part data/${storage.key} is missing`);
    if (entry.size < storage.size)
      throw new ModelCorrupt(
        `its part data/${storage.key} has ${entry.size} bytes instead of ${storage.size}`,
      );
    storage.start = await zipEntryStart(entry, this.size, this.read);
  }

  async #bytes(entry: ZipEntry): Promise<Uint8Array> {
    const start = await zipEntryStart(entry, this.size, this.read);
    return this.read(start, start + entry.size);
  }
}

/** Entries of an archive that torch wrote lie one after the other. */
function rejectOverlaps(storages: readonly TorchStorage[]): void {
  const filled = storages.filter(({ size }) => size > 0).toSorted((a, b) => a.start! - b.start!);
  for (const [index, { key, start }] of filled.entries()) {
    const previous = filled[index - 1];
    if (previous && start! < previous.start! + previous.size)
      throw new ModelCorrupt(`its parts data/${previous.key} and data/${key} overlap`);
  }
}
