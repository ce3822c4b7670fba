import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { typeOfDtype, typeOfStorage } from './element-types.ts';
import { shortened, TorchStorage, TorchTensor } from './torch-tensor.ts';
import { type PickleEnvironment, PythonName } from './unpickle.ts';

/** The result of calls whose results have no meaning here, such as the numbers of numpy that trainers record. */
const IGNORED = Object.freeze({});

/** Calls without effects, whose results are ignored. */
const IGNORED_CALLS: readonly string[] = [
  'torch.device',
  'numpy.dtype',
  'numpy.core.multiarray.scalar',
  'numpy._core.multiarray.scalar',
  '_codecs.encode',
];

/** The classes that tensors of torch may have. */
const TENSOR_CLASSES: readonly string[] = [
  'torch.Tensor',
  'torch.nn.parameter.Parameter',
  'torch.nn.parameter.Buffer',
];

/** More axes than torch and runtimes support would only cost time. */
const MAX_AXES = 64;
/** Storages. Large checkpoints with the state of their training have ten thousand. */
const MAX_STORAGES = 100_000;

/**
 * The calls and storages that a file of `torch.save` needs. A name that is not called is only a name: training
 * frameworks use classes as keys. Every other call is an error that names the function.
 */
export class TorchObjects implements PickleEnvironment {
  /** The storages that the file mentions, by their keys. */
  readonly storages = new Map<string, TorchStorage>();

  /**
   * @throws ModelUnsupported for functions that are not listed here
   * @throws ModelCorrupt for arguments that torch does not write
   */
  call(name: string, args: readonly unknown[]): unknown {
    switch (name) {
      case 'collections.OrderedDict':
      case 'collections.defaultdict':
        return dictionary(args);
      case 'torch.Size':
      case 'builtins.set':
      case '__builtin__.set':
        return Array.isArray(args[0]) ? args[0] : [];
      case 'torch._utils._rebuild_tensor':
      case 'torch._utils._rebuild_tensor_v2':
        return tensorOf(args);
      case 'torch._utils._rebuild_tensor_v3':
        return tensorOf(args, args[6]);
      case 'torch._utils._rebuild_parameter':
      case 'torch._utils._rebuild_parameter_with_state':
        return args[0];
      case 'torch._tensor._rebuild_from_type_v2':
        return this.#tensorOfClass(args);
      default:
        if (IGNORED_CALLS.includes(name)) return IGNORED;
        throw new ModelUnsupported(
          `it would run ${shortened(name)}, and it is read as data only: save its tensors as safetensors`,
        );
    }
  }

  /**
   * A storage, or the class of a module: old files describe classes by their source text.
   * @throws ModelCorrupt when it is neither
   */
  persistent(id: unknown): unknown {
    const [kind, type, key, , count] = Array.isArray(id) ? id : [];
    if (kind === 'module' && type instanceof PythonName) return type;
    if (kind !== 'storage' || !(type instanceof PythonName) || !isKey(key) || !isSize(count))
      throw new ModelCorrupt('its storages are not described as torch does');
    const elementType = typeOfStorage(type.name);
    if (elementType === undefined)
      throw new ModelUnsupported(
        `it holds numbers of the kind ${shortened(type.name)}, which are not read here`,
      );
    const existing = this.storages.get(key);
    if (existing) {
      if (existing.type !== elementType || existing.count !== count)
        throw new ModelCorrupt(`its storage ${key} is described in two ways`);
      return existing;
    }
    // Files of torch 0.1 name parts of storages.
    if (Array.isArray(id) && Array.isArray(id[5]))
      throw new ModelUnsupported('it has parts of storages: load it with a newer torch and save it again');
    if (this.storages.size >= MAX_STORAGES)
      throw new ModelCorrupt(`it has more than ${MAX_STORAGES} storages`);
    const storage = new TorchStorage(key, elementType, count);
    this.storages.set(key, storage);
    return storage;
  }

  /** A tensor with attributes of its own, which are ignored. */
  #tensorOfClass([rebuild, tensorClass, args]: readonly unknown[]): unknown {
    if (!(rebuild instanceof PythonName) || !(tensorClass instanceof PythonName) || !Array.isArray(args))
      throw inconsistent();
    if (!rebuild.name.startsWith('torch._utils._rebuild_')) return this.call(rebuild.name, []);
    if (!TENSOR_CLASSES.includes(tensorClass.name)) return this.call(tensorClass.name, []);
    return this.call(rebuild.name, args);
  }
}

/** Torch fills dictionaries after the call. Python 2 passed a list of pairs, which is refused rather than lost. */
function dictionary([first]: readonly unknown[]): Map<unknown, unknown> {
  if (Array.isArray(first) && first.length > 0)
    throw new ModelUnsupported('it was saved by Python 2: load it with a newer torch and save it again');
  return new Map();
}

function tensorOf([storage, offset, shape, strides]: readonly unknown[], dtype?: unknown): TorchTensor {
  if (
    !(storage instanceof TorchStorage) ||
    !isSize(offset) ||
    !isListOfSizes(shape) ||
    !isListOfSizes(strides)
  )
    throw inconsistent();
  if (strides.length !== shape.length) throw inconsistent();
  if (dtype === undefined) return new TorchTensor(storage, storage.type, offset, shape, strides);
  const type = dtype instanceof PythonName ? typeOfDtype(dtype.name) : undefined;
  if (type === undefined)
    throw new ModelUnsupported(
      `it holds numbers of the kind ${dtype instanceof PythonName ? shortened(dtype.name) : typeof dtype}, which are not read here`,
    );
  return new TorchTensor(storage, type, offset, shape, strides);
}

/** Torch numbers its storages, or names them by an address. */
const isKey = (value: unknown): value is string => typeof value === 'string' && value.length <= 100;
const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOfSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length <= MAX_AXES && value.every(isSize);
const inconsistent = (): ModelCorrupt => new ModelCorrupt('its table of tensors is inconsistent');
