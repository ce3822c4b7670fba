/** Reads files of torch.save: a zip archive with a pickled table and the elements of its tensors. */
import { type UnzipFileInfo, unzipSync } from 'fflate';
import { ModelCorrupt } from '#core/host';
import { decodeFloats } from '../graphs/stored-floats.ts';
import { PythonName, unpickle } from './unpickle.ts';

/** A contiguous tensor. */
export class TorchTensor {
  constructor(
    readonly shape: readonly number[],
    private readonly type: string,
    private readonly bytes: Uint8Array,
  ) {}

  numbers(): Float32Array {
    return decodeFloats(this.bytes, this.type);
  }
}

class Storage {
  constructor(
    readonly type: string,
    /** Bytes per element. */
    readonly size: number,
    readonly bytes: Uint8Array,
  ) {}
}

const TYPES: Readonly<Record<string, { type: string; size: number }>> = {
  'torch.FloatStorage': { type: 'F32', size: 4 },
  'torch.HalfStorage': { type: 'F16', size: 2 },
  'torch.BFloat16Storage': { type: 'BF16', size: 2 },
};

const ZIP = [0x50, 0x4b];
const MAX_ENTRIES = 10_000;

/**
 * The saved value: maps, arrays, numbers, texts, and tensors of floats.
 *
 * @throws ModelCorrupt for damaged files and for values of other kinds.
 */
export function readTorchFile(file: Uint8Array): unknown {
  if (!ZIP.every((byte, index) => file[index] === byte))
    throw new ModelCorrupt(
      'it was not saved by torch 1.6 or newer: load it with such a version, and save it again',
    );
  const entries = unzipStored(file);
  const table = [...entries.keys()].find((name) => name.endsWith('/data.pkl'));
  if (table === undefined) throw new ModelCorrupt('it holds no table of tensors');
  const folder = table.slice(0, -'data.pkl'.length);
  const order = entries.get(`${folder}byteorder`);
  if (order && new TextDecoder().decode(order) !== 'little')
    throw new ModelCorrupt('its numbers are not little endian');
  return unpickle(entries.get(table)!, {
    call(name, args) {
      if (name === 'collections.OrderedDict') return new Map();
      if (name === 'torch._utils._rebuild_tensor_v2') return rebuildTensor(args);
      if (name === 'torch._utils._rebuild_parameter') return args[0];
      throw new ModelCorrupt(`it holds a ${name}, which tables of tensors do not have`);
    },
    persistent(id): Storage {
      const [, storageType, key] = Array.isArray(id) ? id : [];
      const bytes = entries.get(`${folder}data/${key}`);
      const type = storageType instanceof PythonName ? TYPES[storageType.name] : undefined;
      if (!type) throw new ModelCorrupt('it holds numbers that are no floats of 16 or 32 bits');
      if (!bytes) throw new ModelCorrupt(`its part data/${key} is missing`);
      return new Storage(type.type, type.size, bytes);
    },
  });
}

/** Reads uncompressed entries. torch does not compress: compressed entries are unrelated, and may unpack to any size. */
function unzipStored(file: Uint8Array): Map<string, Uint8Array> {
  let [count, bytes] = [0, 0];
  const isStored = ({ compression, size }: UnzipFileInfo) => {
    bytes += size;
    // Overlapping entries could make the sum of their sizes larger than the file.
    if (++count > MAX_ENTRIES || bytes > file.length)
      throw new ModelCorrupt('its archive holds more than its size allows');
    return compression === 0;
  };
  try {
    return new Map(Object.entries(unzipSync(file, { filter: isStored })));
  } catch (error) {
    if (error instanceof ModelCorrupt) throw error;
    throw new ModelCorrupt('its archive is damaged', { cause: error });
  }
}

function rebuildTensor([storage, offset, shape, strides]: readonly unknown[]): TorchTensor {
  if (
    !(storage instanceof Storage) ||
    !isNumberArray([offset]) ||
    !isNumberArray(shape) ||
    !isNumberArray(strides)
  )
    throw new ModelCorrupt('its table of tensors is inconsistent');
  const { type, size, bytes } = storage;
  let count = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== count)
      throw new ModelCorrupt('it holds a tensor that is not contiguous');
    count *= shape[axis]!;
  }
  const start = Number(offset) * size;
  if (start + count * size > bytes.length) throw new ModelCorrupt('its tensors exceed its parts');
  return new TorchTensor(shape, type, bytes.subarray(start, start + count * size));
}

const isNumberArray = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
