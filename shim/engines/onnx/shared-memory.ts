/** The part of a GPU's queue that gets data of the processor. */
export interface WritingQueue {
  writeBuffer(buffer: object, offset: number, data: Bytes, dataOffset?: number, size?: number): void;
}

/** `dataOffset` and `size` of a call count elements of a view, and bytes of a buffer. */
type Bytes = ArrayBufferView | ArrayBufferLike;

/** Bytes that are copied at once. The GPU takes multiples of 4. */
const PIECE = 2 ** 26;

/**
 * Lets a queue take views of shared memory, as browsers do. Node's interface for native modules refuses them, and the
 * memory of onnxruntime's WebAssembly is shared.
 */
export function acceptSharedMemory(queue: WritingQueue, piece = PIECE): void {
  const write = queue.writeBuffer;
  queue.writeBuffer = function (buffer, offset, data, dataOffset = 0, size) {
    const shared = sharedBytes(data, dataOffset, size);
    if (!shared) return write.call(this, buffer, offset, data, dataOffset, size);
    for (let at = 0; at < shared.length; at += piece)
      write.call(this, buffer, offset + at, new Uint8Array(shared.subarray(at, at + piece)));
  };
}

/** A view of the bytes to write. Undefined when the memory is not shared. */
function sharedBytes(data: Bytes, dataOffset: number, size?: number): Uint8Array | undefined {
  const view = ArrayBuffer.isView(data) ? data : new Uint8Array(data as ArrayBuffer);
  if (!(view.buffer instanceof SharedArrayBuffer)) return undefined;
  const width = (view as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
  const start = dataOffset * width;
  const length = size === undefined ? view.byteLength - start : size * width;
  return new Uint8Array(view.buffer, view.byteOffset + start, length);
}
