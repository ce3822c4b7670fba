import { FileMissing, type FilePath, type Files, ModelCorrupt, ModelUnsupported } from '#core/host';
import { type ReadRange, readSafetensors, type SafetensorsEntry, type StoredTensor } from '#core/tensors';
import { isTorchFile, readTorchTable } from '../torch-file/read-torch-file.ts';
import { isGguf, readGgufTable } from './gguf-table.ts';
import { shardPaths } from './shards.ts';
import type { WeightTable } from './weight-table.ts';

/** A file of weights, as it was when its table was read, or the first of a set. */
export interface WeightFile {
  readonly path: FilePath;
  /** The last part of the path, for messages. */
  readonly name: string;
  /** When its last part was written, in milliseconds since 1970. */
  readonly modifiedAt: number | undefined;
  /** The tensors of all parts. */
  readonly table: WeightTable;
  /** The file itself, or all files of its set. */
  readonly parts: readonly WeightFilePart[];
}

export interface WeightFilePart {
  readonly path: FilePath;
  /** The last part of the path: the name that graphs use. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number | undefined;
}

/**
 * Reads the table of a GGUF file or of one that safetensors or torch.save wrote, and no weights. The name of one file of a set, such as
 * `model-00001-of-00003.safetensors`, stands for all of them.
 * Rejects with `FileMissing`, with `ModelCorrupt` for damaged files, and with `ModelUnsupported` for files of torch
 * that hold other things than tables of tensors.
 */
export async function readWeightFile(files: Files, path: FilePath): Promise<WeightFile> {
  const table = new Map<string, StoredTensor>();
  const parts: WeightFilePart[] = [];
  for (const partPath of shardPaths(path)) {
    const info = await files.stat(partPath);
    if (info?.kind !== 'file') throw new FileMissing(partPath);
    const { size, modifiedAt } = info;
    const name = partPath.slice(partPath.lastIndexOf('/') + 1);
    parts.push({ path: partPath, name, size, modifiedAt });
    for (const { name: key, type, shape, start, end } of await readTensorTable(files, partPath, size)) {
      if (table.has(key))
        throw new ModelCorrupt(`${name} repeats the tensor ${key} of another file of its set`);
      table.set(key, { file: name, type, shape, start, end });
    }
  }
  const times = parts.flatMap(({ modifiedAt }) => modifiedAt ?? []);
  return {
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    modifiedAt: times.length > 0 ? Math.max(...times) : undefined,
    table,
    parts,
  };
}

/** The bytes of a tensor of the file or its set. Rejects as reading does. */
export function readTensor(
  files: Pick<Files, 'read'>,
  { parts }: WeightFile,
  { file, start, end }: StoredTensor,
): Promise<Uint8Array> {
  const { path } = parts.find(({ name }) => name === file)!;
  return files.read(path, start, end);
}

/**
 * The tensors of a file in its order. Its first bytes decide its format, not its name. Rejects as `readWeightFile`
 * does.
 * @param size bytes of the file
 */
export async function readTensorTable(
  files: Pick<Files, 'read'>,
  path: FilePath,
  size: number,
): Promise<SafetensorsEntry[]> {
  const read: ReadRange = (start, end) => files.read(path, start, end);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const first = await read(0, Math.min(size, 8));
  const isTorch = isTorchFile(first, size);
  try {
    if (isGguf(first)) return await readGgufTable(size, read);
    return await (isTorch ? readTorchTable(size, read) : readSafetensors(size, read));
  } catch (error) {
    const isOther = !isTorch && !/\.(safetensors|sft)$/i.test(name);
    const reason = `${error instanceof Error ? error.message : error}${isOther ? ', and no file of torch.save' : ''}`;
    const message = `${name} cannot be read: ${reason}`;
    if (error instanceof ModelUnsupported) throw new ModelUnsupported(message, { cause: error });
    if (error instanceof ModelCorrupt) throw new ModelCorrupt(message, { cause: error });
    throw error;
  }
}
