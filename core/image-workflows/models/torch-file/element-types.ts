/** Types of numbers as safetensors files spell them, by torch's names. Complex and quantized numbers are missing. */
const TYPES: Readonly<Record<string, string>> = {
  float64: 'F64',
  float32: 'F32',
  float16: 'F16',
  bfloat16: 'BF16',
  float8_e4m3fn: 'F8_E4M3',
  float8_e5m2: 'F8_E5M2',
  int64: 'I64',
  int32: 'I32',
  int16: 'I16',
  int8: 'I8',
  uint64: 'U64',
  uint32: 'U32',
  uint16: 'U16',
  uint8: 'U8',
  bool: 'BOOL',
};

/** The classes of storages with numbers of one type. Newer types have none: their storages are untyped. */
const STORAGES: Readonly<Record<string, string>> = {
  DoubleStorage: 'float64',
  FloatStorage: 'float32',
  HalfStorage: 'float16',
  BFloat16Storage: 'bfloat16',
  LongStorage: 'int64',
  IntStorage: 'int32',
  ShortStorage: 'int16',
  CharStorage: 'int8',
  ByteStorage: 'uint8',
  BoolStorage: 'bool',
};

/** The type of a name such as `torch.float16`. Undefined for other names. */
export const typeOfDtype = (name: string): string | undefined => typeNamed(TYPES, name);

/** The type of a name such as `torch.HalfStorage`; untyped storages have bytes. Undefined for other names. */
export function typeOfStorage(name: string): string | undefined {
  if (/^torch\.(storage\.)?UntypedStorage$/.test(name)) return 'U8';
  const dtype = typeNamed(STORAGES, name.replace(/^torch\.cuda\./, 'torch.'));
  return dtype === undefined ? undefined : TYPES[dtype];
}

function typeNamed(types: Readonly<Record<string, string>>, name: string): string | undefined {
  const [, last = ''] = /^torch\.(\w+)$/.exec(name) ?? [];
  return Object.hasOwn(types, last) ? types[last] : undefined;
}

/** Bytes of each number of a type. The digits of a type's name are its bits. */
export const bytesOfType = (type: string): number =>
  type === 'BOOL' ? 1 : Number(/^[A-Z]+(\d+)/.exec(type)?.[1]) / 8;
