/**
 * The single range of a `Range` header, as [start, end). Undefined without one, and for a header to be
 * ignored: several ranges, other units. `unsatisfiable` when the range lies outside of the file.
 */
export function byteRange(
  header: string | null,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [, first, last] = match as unknown as [string, string, string];
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return start < end ? { start, end } : 'unsatisfiable';
}
