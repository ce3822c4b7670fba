/** Unpacks ZIP and gzip files. */
import { gunzipSync, unzipSync } from 'fflate';
import { NodeError } from '../../node-api/node-error.ts';

/** Bytes that all files of one archive may have when they are unpacked. */
const MAX_UNPACKED = 1024 ** 3;
/** Deflate makes content at most this many times smaller. The library allocates the size that a file states. */
const MAX_RATIO = 1032;
/** Bytes of an entry in the archive's directory. The library believes any number of entries. */
const MIN_ENTRY = 46;

export const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b;
export const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The files of a ZIP archive by path. @throws NodeError for a damaged archive, and for one with too much content */
export function unzip(bytes: Uint8Array, itemIndex: number): Record<string, Uint8Array> {
  let [entries, packed, unpacked] = [0, 0, 0];
  try {
    return unzipSync(bytes, {
      filter({ size, originalSize }) {
        entries++;
        packed += size;
        unpacked += originalSize;
        if (unpacked > MAX_UNPACKED) throw new Error('its files have more than 1 GiB');
        // Entries that share their bytes, or are beyond the end, can be many times larger than the archive.
        if (entries * MIN_ENTRY + packed > bytes.length || originalSize > size * MAX_RATIO)
          throw new Error('its directory is damaged');
        return true;
      },
    });
  } catch (cause) {
    throw broken(cause, itemIndex);
  }
}

/** The content of a gzip file. @throws NodeError for a damaged file, and for one with too much content */
export function gunzip(bytes: Uint8Array<ArrayBuffer>, itemIndex: number): Uint8Array {
  // The last four bytes are the size of the content, modulo 2³² (RFC 1952).
  const size =
    bytes.length < 18 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true);
  try {
    if (size > MAX_UNPACKED) throw new Error('its content has more than 1 GiB');
    if (size > bytes.length * MAX_RATIO) throw new Error('its size is wrong');
    return gunzipSync(bytes);
  } catch (cause) {
    throw broken(cause, itemIndex);
  }
}

const broken = (cause: unknown, itemIndex: number) =>
  new NodeError(`The archive cannot be read: ${(cause as Error).message}`, { itemIndex, cause });
