/** Bytes on their way into a QuickJS and out of it. */
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';

/** A QuickJS has no memory left for a value that the host gives it. */
export class SandboxOutOfMemory extends Error {
  override name = 'OutOfMemory';
}

/** The value of a handle. An ArrayBuffer is copied; texts, numbers and null are taken as they are. */
export function readHandle(context: QuickJSContext, handle: QuickJSHandle): unknown {
  if (context.typeof(handle) !== 'object') return context.dump(handle);
  const length = context.getProp(handle, 'byteLength').consume((property) => context.getNumber(property));
  // An empty buffer has no address that could be read.
  if (length === 0) return new Uint8Array();
  const lifetime = context.getArrayBuffer(handle);
  try {
    return lifetime.value.slice();
  } finally {
    lifetime.dispose();
  }
}

/** A new ArrayBuffer with these bytes. @throws SandboxOutOfMemory */
export function newBytes(context: QuickJSContext, bytes: Uint8Array): QuickJSHandle {
  requireMemory(context, bytes.length);
  // The binding takes a whole buffer: a view of a part of one is copied first.
  const isWholeBuffer = bytes.byteLength === bytes.buffer.byteLength;
  return context.newArrayBuffer((isWholeBuffer ? bytes : bytes.slice()).buffer);
}

interface Allocator {
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

/**
 * Checks that so many bytes can be allocated. The binding does not check: after a failed allocation it would write to
 * address 0. @throws SandboxOutOfMemory
 */
export function requireMemory(context: QuickJSContext, bytes: number): void {
  // The engine's addresses have 32 bits: a larger number would count modulo 2^32.
  if (!(bytes >= 0 && bytes < 2 ** 31)) throw new SandboxOutOfMemory(`no room for ${bytes} bytes`);
  const { _malloc, _free } = (context as unknown as { module: Allocator }).module;
  const address = _malloc(bytes);
  if (address === 0) throw new SandboxOutOfMemory(`no room for ${bytes} bytes`);
  _free(address);
}
