import { FileMissing, type FilePath, type Files, ModelCorrupt } from '#core/host';
import { readSafetensors, type StoredTensor } from '#core/tensors';
import type { WeightTable } from './weight-table.ts';

/** A file of weights, as it was when its table was read. */
export interface WeightFile {
  readonly path: FilePath;
  /** The last part of the path: the name that graphs use. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** When the file was written, in milliseconds since 1970. */
  readonly modifiedAt: number | undefined;
  readonly table: WeightTable;
}

/**
 * Reads the table of a safetensors file, and no weights.
 * Rejects with `FileMissing`, and with `ModelCorrupt` for damaged files.
 */
export async function readWeightFile(files: Files, path: FilePath): Promise<WeightFile> {
  const info = await files.stat(path);
  if (info?.kind !== 'file') throw new FileMissing(path);
  const { size, modifiedAt } = info;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const entries = await readSafetensors(size, (start, end) => files.read(path, start, end)).catch(
    (error: unknown) => {
      if (!(error instanceof ModelCorrupt)) throw error;
      throw new ModelCorrupt(`${name} cannot be read: ${error.message}`, { cause: error });
    },
  );
  const table = new Map<string, StoredTensor>();
  for (const { name: key, type, shape, start, end } of entries)
    table.set(key, { file: name, type, shape, start, end });
  return { path, name, size, modifiedAt, table };
}
