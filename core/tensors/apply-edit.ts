import type { FileEdit } from '#core/host';

/** The bytes of a file with an edit made on them; its own memory where it is not longer. Throws for one that lies outside. */
export function applyEdit(file: Uint8Array, { start, bytes }: Omit<FileEdit, 'file'>): Uint8Array {
  if (start > file.length) throw new RangeError('an edit of a model lies outside of its file');
  const end = start + bytes.length;
  let whole = file;
  if (end > file.length) {
    whole = new Uint8Array(end);
    whole.set(file);
  }
  whole.set(bytes, start);
  return whole;
}
