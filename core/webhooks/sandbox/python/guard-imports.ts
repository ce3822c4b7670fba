/**
 * The only functions of JavaScript that Python can reach are the imports of its WebAssembly module. This replaces each
 * of them that is not needed to compute: those of the bridge to JavaScript, of sockets, libraries, processes and files.
 */

import policy from './import-policy.json' with { type: 'json' };
import type { PythonChannel } from './python-channel.ts';

type ImportFunction = ((...args: never[]) => unknown) & { sig?: string };

/** The memory of the module, which is replaced when it grows. */
export interface ModuleMemory {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  readonly HEAPU32: Uint32Array<ArrayBuffer>;
}

/** Errors as WebAssembly's system calls number them. */
const ERROR = { badFile: 8, noSystemCall: 52, readOnly: 69 };

/** The flags of `open` that write: the access mode, O_CREAT, O_TRUNC, O_APPEND. */
const WRITING = 0o3 | 0o100 | 0o1000 | 0o2000;

/** The largest number of random bytes that a browser returns at once. */
const RANDOM_BYTES = 65_536;

/** Python called a function that its sandbox does not have. The interpreter cannot continue. */
export class RefusedImport extends Error {
  override name = 'RefusedImport';
}

/**
 * Replaces functions in place, because the module also looks functions up in this object by their names.
 * @param imports every function that the module could import
 * @param limit bytes of memory
 */
export function guardImports(
  imports: Record<string, unknown>,
  parts: { memory: () => ModuleMemory; channel: PythonChannel; limit: number },
): void {
  const marker = Symbol('error');
  imports.Jsv_GetError_import = () => marker;
  imports.JsvError_Check = (value: unknown) => (value === marker ? 1 : 0);
  const allowed = new Set(policy.allowed);
  const restricted = restrictedImports(parts);
  for (const [name, original] of Object.entries(imports)) {
    if (typeof original !== 'function' || allowed.has(name)) continue;
    const guarded: ImportFunction = restricted[name]?.(original as ImportFunction) ?? refuse(name);
    // The module makes table entries of some imports by this signature.
    if ('sig' in original) guarded.sig = original.sig as string;
    imports[name] = guarded;
  }
}

function refuse(name: string): ImportFunction {
  const failing: Record<string, number> = policy.failing;
  if (Object.hasOwn(failing, name)) return () => failing[name];
  if (name.startsWith('__syscall_') || name.startsWith('fd_')) return () => -ERROR.noSystemCall;
  return () => {
    throw new RefusedImport(`Python has no ${name} here`);
  };
}

/** Functions that work in part, by their name in the policy. Each gets the original. */
function restrictedImports({
  memory,
  channel,
  limit,
}: Parameters<typeof guardImports>[1]): Record<string, (original: ImportFunction) => ImportFunction> {
  /** Calls a function for the bytes of each buffer of a list, until it takes fewer than the buffer has. */
  const eachBuffer = (list: number, count: number, total: number, use: (bytes: Uint8Array) => number) => {
    let sum = 0;
    for (let index = 0; index < count; index++) {
      const { HEAPU8, HEAPU32 } = memory();
      const start = HEAPU32[(list >>> 2) + 2 * index]!;
      const length = HEAPU32[(list >>> 2) + 2 * index + 1]!;
      const used = use(HEAPU8.subarray(start, start + length));
      sum += used;
      if (used < length) break;
    }
    memory().HEAPU32[total >>> 2] = sum;
    return 0;
  };
  return {
    __syscall_openat: (open) => (folder: number, path: number, flags: number, more: number) =>
      flags & WRITING ? -ERROR.readOnly : (open as (...args: number[]) => number)(folder, path, flags, more),
    emscripten_resize_heap: (resize) => (size: number) =>
      size >>> 0 > limit ? 0 : (resize as (size: number) => number)(size),
    fd_read: (read) => (file: number, list: number, count: number, total: number) =>
      channel.reads(file)
        ? eachBuffer(list >>> 0, count, total >>> 0, (bytes) => channel.read(bytes))
        : (read as (...args: number[]) => number)(file, list, count, total),
    fd_write: () => (file: number, list: number, count: number, total: number) =>
      channel.writes(file)
        ? eachBuffer(list >>> 0, count, total >>> 0, (bytes) => channel.write(file, bytes))
        : ERROR.badFile,
    random_get: () => (start: number, length: number) => {
      const bytes = memory().HEAPU8.subarray(start >>> 0, (start >>> 0) + (length >>> 0));
      for (let at = 0; at < bytes.length; at += RANDOM_BYTES) {
        crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES));
      }
      return 0;
    },
  };
}
