/** Finds the entries of a zip archive by range reads. Format: PKWARE's APPNOTE.TXT, sections 4.3 to 4.5. */
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import type { ReadRange } from '#core/tensors';

/** An entry, as the archive's directory describes it. */
export interface ZipEntry {
  name: string;
  /** The position of its own header. */
  header: number;
  /** Bytes. */
  size: number;
  /** Whether its bytes lie in the file as they are. */
  isStored: boolean;
}

const END = { signature: 0x06054b50, size: 22 };
const END_64 = { signature: 0x06064b50, size: 56 };
const LOCATOR_64 = { signature: 0x07064b50, size: 20 };
const ENTRY = { signature: 0x02014b50, size: 46 };
const HEADER = { signature: 0x04034b50, size: 30 };
/** The id of the field with an entry's numbers of 64 bits. */
const EXTRA_64 = 1;
/** Values that refer to numbers of 64 bits. */
const NO_COUNT = 0xffff;
const NO_OFFSET = 0xffffffff;
const ENCRYPTED = 1;

/** Bytes of a comment at the archive's end. */
const MAX_COMMENT = 0xffff;
/** Bytes. The directory of 10 000 tensors has less than one million. */
const MAX_DIRECTORY = 16 * 1024 * 1024;

/**
 * The entries of an archive by name.
 * Rejects with `ModelCorrupt` when the directory at its end is missing, damaged or huge.
 * @param size bytes of the file
 */
export async function readZipDirectory(size: number, read: ReadRange): Promise<Map<string, ZipEntry>> {
  const { start, end } = await findDirectory(size, read);
  if (!(start <= end && end <= size && end - start <= MAX_DIRECTORY)) throw damaged();
  const bytes = await read(start, end);
  const view = viewOf(bytes);
  const entries = new Map<string, ZipEntry>();
  for (let at = 0; at < bytes.length; ) {
    if (at + ENTRY.size > bytes.length || view.getUint32(at, true) !== ENTRY.signature) throw damaged();
    const nameEnd = at + ENTRY.size + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    if (extraEnd > bytes.length) throw damaged();
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY.size, nameEnd));
    const packed = view.getUint32(at + 20, true);
    const [length, , header] = withExtra(viewOf(bytes.subarray(nameEnd, extraEnd)), [
      view.getUint32(at + 24, true),
      packed,
      view.getUint32(at + 42, true),
    ]) as [number, number, number];
    if (entries.has(name)) throw new ModelCorrupt(`its archive has two entries ${name}`);
    const isStored = view.getUint16(at + 10, true) === 0 && (view.getUint16(at + 8, true) & ENCRYPTED) === 0;
    entries.set(name, { name, header, size: length, isStored });
    at = extraEnd + view.getUint16(at + 32, true);
  }
  return entries;
}

/**
 * The position of an entry's bytes, by its own header.
 * Rejects with `ModelUnsupported` for a compressed entry, and with `ModelCorrupt` when the header is another one.
 */
export async function zipEntryStart(entry: ZipEntry, size: number, read: ReadRange): Promise<number> {
  const { name, header } = entry;
  if (!entry.isStored)
    throw new ModelUnsupported(
      `its part ${name} is compressed or encrypted, which torch does not do: save it again with torch.save`,
    );
  if (header + HEADER.size > size) throw damaged();
  const view = viewOf(await read(header, header + HEADER.size));
  if (view.getUint32(0, true) !== HEADER.signature) throw damaged();
  const start = header + HEADER.size + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + entry.size > size) throw damaged();
  return start;
}

/** The directory's bytes [start, end) of the file. They are in the archive's end record. */
async function findDirectory(size: number, read: ReadRange): Promise<{ start: number; end: number }> {
  const tailStart = Math.max(0, size - END.size - MAX_COMMENT - LOCATOR_64.size);
  const tail = viewOf(await read(tailStart, size));
  for (let at = tail.byteLength - END.size; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END.signature) continue;
    if (at + END.size + tail.getUint16(at + 20, true) !== tail.byteLength) continue;
    const [count, length, start] = [
      tail.getUint16(at + 10, true),
      tail.getUint32(at + 12, true),
      tail.getUint32(at + 16, true),
    ];
    const locator = at - LOCATOR_64.size;
    if (locator >= 0 && tail.getUint32(locator, true) === LOCATOR_64.signature)
      return findLargeDirectory(Number(tail.getBigUint64(locator + 8, true)), size, read);
    if (count === NO_COUNT || length === NO_OFFSET || start === NO_OFFSET) throw damaged();
    return { start, end: start + length };
  }
  throw damaged();
}

/** The directory of an archive with numbers of 64 bits. @param at the position of its end record */
async function findLargeDirectory(at: number, size: number, read: ReadRange) {
  if (at + END_64.size > size) throw damaged();
  const record = viewOf(await read(at, at + END_64.size));
  if (record.getUint32(0, true) !== END_64.signature) throw damaged();
  const [length, start] = [Number(record.getBigUint64(40, true)), Number(record.getBigUint64(48, true))];
  return { start, end: start + length };
}

/** An entry's size, packed size and position. Those that need 64 bits follow one another in an extra field. */
function withExtra(extra: DataView, numbers: readonly number[]): number[] {
  if (!numbers.includes(NO_OFFSET)) return [...numbers];
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const end = at + 4 + extra.getUint16(at + 2, true);
    if (extra.getUint16(at, true) === EXTRA_64) {
      let next = at + 4;
      return numbers.map((number) => {
        if (number !== NO_OFFSET) return number;
        if (next + 8 > Math.min(end, extra.byteLength)) throw damaged();
        next += 8;
        return Number(extra.getBigUint64(next - 8, true));
      });
    }
    at = end;
  }
  throw damaged();
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const damaged = (): ModelCorrupt => new ModelCorrupt('its archive is damaged or incomplete');
