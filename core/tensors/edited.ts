import type { FileEdit } from '../host/tensor-engine.ts';

/** The bytes of a file with all edits made on them; its own memory where none is longer. Throws for one that lies outside. */
export function edited(file: Uint8Array, edits: readonly FileEdit[]): Uint8Array {
  const size = edits.reduce((end, { start, bytes }) => Math.max(end, start + bytes.length), file.length);
  let whole = file;
  if (size > file.length) {
    whole = new Uint8Array(size);
    whole.set(file);
  }
  for (const { start, bytes } of edits) {
    if (start > file.length) throw new RangeError('an edit of a model lies outside of its file');
    whole.set(bytes, start);
  }
  return whole;
}
