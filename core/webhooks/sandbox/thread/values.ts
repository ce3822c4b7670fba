/** Bytes on their way into and out of a QuickJS. */
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';

/** The memory of a sandbox has no room for what is put into it. */
export class NoRoom extends Error {
  override name = 'NoRoom';
}

/** What the library gives to a function: a copy of the bytes of an ArrayBuffer, or a text, number or nothing. */
export function fromInside(context: QuickJSContext, handle: QuickJSHandle): unknown {
  if (context.typeof(handle) !== 'object') return context.dump(handle);
  const length = context.getProp(handle, 'byteLength').consume((one) => context.getNumber(one));
  // Of no bytes there is no address either.
  if (length === 0) return new Uint8Array();
  const held = context.getArrayBuffer(handle);
  try {
    return held.value.slice();
  } finally {
    held.dispose();
  }
}

/** A new ArrayBuffer. Throws `NoRoom`. */
export function newBytes(context: QuickJSContext, bytes: Uint8Array): QuickJSHandle {
  needRoom(context, bytes.length);
  // What is behind a part of a larger buffer would come too.
  const whole = bytes.byteLength === bytes.buffer.byteLength;
  return context.newArrayBuffer((whole ? bytes : bytes.slice()).buffer);
}

interface Allocator {
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

/** The library writes wherever it was told to, also when it was told "nowhere". */
export function needRoom(context: QuickJSContext, bytes: number): void {
  const { _malloc, _free } = (context as unknown as { module: Allocator }).module;
  const room = _malloc(bytes);
  if (room === 0) throw new NoRoom(`no room for ${bytes} bytes`);
  _free(room);
}
