import { expect, test } from 'vitest';
import { acceptSharedMemory, type WritingQueue } from './shared-memory.ts';

/** A queue that refuses shared memory, as that of the package `webgpu` does. */
function strictQueue(piece?: number) {
  const written = new Uint8Array(16);
  const sizes: number[] = [];
  const queue: WritingQueue = {
    writeBuffer(_buffer, offset, data, dataOffset = 0, size) {
      const view = ArrayBuffer.isView(data) ? data : new Uint8Array(data as ArrayBuffer);
      if (view.buffer instanceof SharedArrayBuffer) throw new Error('Invalid argument');
      const width = (view as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
      const start = view.byteOffset + dataOffset * width;
      const length = size === undefined ? view.byteLength - dataOffset * width : size * width;
      written.set(new Uint8Array(view.buffer, start, length), offset);
      sizes.push(length);
    },
  };
  acceptSharedMemory(queue, piece);
  return { queue, written, sizes };
}

const bytes = (length: number) => Uint8Array.from({ length }, (_, at) => at + 1);

test('writes a part of shared memory, in pieces', () => {
  const { queue, written, sizes } = strictQueue(4);
  const memory = new Uint8Array(new SharedArrayBuffer(32));
  memory.set(bytes(12), 8);
  queue.writeBuffer({}, 4, memory.subarray(8, 20), 0, 12);
  expect([...written]).toEqual([0, 0, 0, 0, ...bytes(12)]);
  expect(sizes).toEqual([4, 4, 4]);
});

test('counts offsets and sizes of shared views in elements, and of shared buffers in bytes', () => {
  const { queue, written } = strictQueue();
  const memory = new SharedArrayBuffer(16);
  new Uint8Array(memory).set(bytes(16));
  queue.writeBuffer({}, 0, new Float32Array(memory), 1, 2);
  expect([...written.subarray(0, 8)]).toEqual([...bytes(16).subarray(4, 12)]);
  queue.writeBuffer({}, 8, memory, 12);
  expect([...written.subarray(8, 12)]).toEqual([13, 14, 15, 16]);
});

test('leaves other memory to the queue', () => {
  const { queue, written, sizes } = strictQueue(4);
  queue.writeBuffer({}, 0, bytes(16), 4, 8);
  expect([...written.subarray(0, 8)]).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  expect(sizes).toEqual([8]);
});
