import type { FileEdit } from '#core/host';

/**
 * Writes an edit into the bytes of a file.
 * @returns the same array, or a new one if the edit makes the file longer
 * @throws RangeError for an edit that begins after the end
 */
export function applyEdit(file: Uint8Array, { start, bytes }: Omit<FileEdit, 'file'>): Uint8Array {
  if (start > file.length) throw new RangeError('an edit of a model lies outside of its file');
  const end = start + bytes.length;
  let result = file;
  if (end > file.length) {
    result = new Uint8Array(end);
    result.set(file);
  }
  result.set(bytes, start);
  return result;
}
