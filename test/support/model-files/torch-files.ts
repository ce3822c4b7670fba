/** Writes files as torch.save does, also damaged and hostile ones. */
import { zipSync } from 'fflate';
import { concatBytes } from '#core/base';

const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** The bytes of a pickle of protocol 2 with these operations. */
export const pickleOf = (operations: string): Uint8Array => latin(`\x80\x02${operations}.`);

const uint32 = (number: number): string =>
  String.fromCharCode(...[0, 8, 16, 24].map((shift) => (number >>> shift) & 255));

/** Operations that push a text in ASCII. */
export const text = (value: string): string => `X${uint32(value.length)}${value}`;
/** Operations that push an integer: in four bytes, or in eight when it needs them. */
export function integer(value: number): string {
  if (value === (value | 0)) return `J${uint32(value)}`;
  const bytes = new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
  return `\x8a\x08${String.fromCharCode(...bytes)}`;
}
/** Operations that push a tuple. @param items operations of each */
export const tuple = (...items: string[]): string => `(${items.join('')}t`;
/** Operations that push a class or function. @param name such as `os.system` */
export function named(name: string): string {
  const dot = name.lastIndexOf('.');
  return `c${name.slice(0, dot)}\n${name.slice(dot + 1)}\n`;
}
/** Operations that push the result of a call. */
export const call = (name: string, ...args: string[]): string => `${named(name)}${tuple(...args)}R`;
/** Operations that push a dictionary. */
export const dictionary = (items: Readonly<Record<string, string>>): string =>
  `}(${Object.entries(items)
    .map(([key, value]) => text(key) + value)
    .join('')}u`;

/** A tensor of the storage `key`. Its defaults: two 32-bit floats of a storage of two. */
export interface TensorPickle {
  key?: string;
  storage?: string;
  count?: number;
  offset?: number;
  shape?: number[];
  strides?: number[];
}

/** Operations that push a tensor. */
export function tensor(options: TensorPickle = {}): string {
  const { key = '0', storage = 'torch.FloatStorage', count = 2, offset = 0, shape = [2] } = options;
  const { strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((all, side) => all * side, 1)) } =
    options;
  const id = tuple(text('storage'), named(storage), text(key), text('cpu'), integer(count));
  const sizes = (list: number[]) => tuple(...list.map(integer));
  const args = [
    `${id}Q`,
    integer(offset),
    sizes(shape),
    sizes(strides),
    '\x89',
    call('collections.OrderedDict'),
  ];
  return call('torch._utils._rebuild_tensor_v2', ...args);
}

/** The parts of an archive besides its pickle, by their names within its folder. */
export type ArchiveParts = Readonly<Record<string, Uint8Array>>;

const NUMBERS = new Uint8Array(Float32Array.of(1, 2).buffer);

/** A file in the layout of torch 1.6 and newer. @param operations of its pickle */
export function torchArchive(
  operations: string,
  parts: ArchiveParts = { 'data/0': NUMBERS },
  level: 0 | 6 = 0,
) {
  const entries = Object.entries({ 'data.pkl': pickleOf(operations), ...parts });
  return zipSync(Object.fromEntries(entries.map(([name, bytes]) => [`any/${name}`, bytes])), { level });
}

/** The number with which files in the older layout begin. */
export const LEGACY_MAGIC = '\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19';

/** A file in the older layout, with storages of 32-bit floats. */
export function legacyFile(
  operations: string,
  options: { version?: number; system?: string; keys?: string[]; counts?: number[] } = {},
): Uint8Array {
  const {
    version = 1001,
    system = dictionary({ little_endian: '\x88' }),
    keys = ['0'],
    counts = [2],
  } = options;
  const pickles = [LEGACY_MAGIC, integer(version), system, operations, `](${keys.map(text).join('')}e`];
  const storages = counts.flatMap((count) => [
    new Uint8Array(BigInt64Array.of(BigInt(count)).buffer),
    new Uint8Array(new Float32Array(Math.min(Math.max(count, 0), 100)).map((_, at) => at + 1).buffer),
  ]);
  return concatBytes([...pickles.map(pickleOf), ...storages]);
}
