/** Files of torch.save: a zip archive of a table and of the numbers of its tensors. */
import { type UnzipFileInfo, unzipSync } from 'fflate';
import { ModelCorrupt } from '#core/host';
import { decodeFloats } from '../graphs/stored-floats.ts';
import { PythonName, unpickle } from './unpickle.ts';

/** A tensor whose numbers lie in order. */
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
    /** Bytes a number. */
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
const MOST_PARTS = 10_000;

/** The value that was saved: maps, arrays, numbers, texts and tensors of floats. Throws `ModelCorrupt`, also for what else there may be. */
export function readTorchFile(file: Uint8Array): unknown {
  if (!ZIP.every((byte, index) => file[index] === byte))
    throw new ModelCorrupt(
      'it is no file of a torch since version 1.6: load it with such a version, and save it again',
    );
  const parts = unzipped(file);
  const table = [...parts.keys()].find((name) => name.endsWith('/data.pkl'));
  if (table === undefined) throw new ModelCorrupt('it holds no table of tensors');
  const folder = table.slice(0, -'data.pkl'.length);
  const order = parts.get(`${folder}byteorder`);
  if (order && new TextDecoder().decode(order) !== 'little')
    throw new ModelCorrupt('its numbers are in the order of another kind of machine');
  return unpickle(parts.get(table)!, {
    call(name, args) {
      if (name === 'collections.OrderedDict') return new Map();
      if (name === 'torch._utils._rebuild_tensor_v2') return tensorOf(args);
      if (name === 'torch._utils._rebuild_parameter') return args[0];
      throw new ModelCorrupt(`it holds a ${name}, which is more than tables of tensors have`);
    },
    outside(id): Storage {
      const [, what, key] = Array.isArray(id) ? id : [];
      const bytes = parts.get(`${folder}data/${key}`);
      const type = what instanceof PythonName ? TYPES[what.name] : undefined;
      if (!type) throw new ModelCorrupt('it holds numbers that are no floats of 16 or 32 bits');
      if (!bytes) throw new ModelCorrupt(`its part data/${key} is missing`);
      return new Storage(type.type, type.size, bytes);
    },
  });
}

/** torch stores without packing: what is packed is of something else, and might be huge. */
function unzipped(file: Uint8Array): Map<string, Uint8Array> {
  let [count, bytes] = [0, 0];
  const isStored = ({ compression, size }: UnzipFileInfo) => {
    bytes += size;
    // Entries that lie on one another, or more than anybody counted.
    if (++count > MOST_PARTS || bytes > file.length)
      throw new ModelCorrupt('its archive holds more than it is large');
    return compression === 0;
  };
  try {
    return new Map(Object.entries(unzipSync(file, { filter: isStored })));
  } catch (error) {
    if (error instanceof ModelCorrupt) throw error;
    throw new ModelCorrupt('its archive is damaged', { cause: error });
  }
}

function tensorOf([storage, offset, shape, strides]: readonly unknown[]): TorchTensor {
  if (!(storage instanceof Storage) || !isCounts([offset]) || !isCounts(shape) || !isCounts(strides))
    throw new ModelCorrupt('its table of tensors does not fit together');
  const { type, size, bytes } = storage;
  let count = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== count)
      throw new ModelCorrupt('it holds a tensor that was not saved in order');
    count *= shape[axis]!;
  }
  const start = Number(offset) * size;
  if (start + count * size > bytes.length) throw new ModelCorrupt('its tensors lie outside of its parts');
  return new TorchTensor(shape, type, bytes.subarray(start, start + count * size));
}

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
