import type { FilePath, Files } from '#core/host';

/** Bytes [start, end) of a file. */
export type ByteRange = readonly [start: number, end: number];

/** A file of which a client has sent some ranges. Reading others rejects, and they are collected in `missing`. */
export class SentRanges implements Pick<Files, 'read'> {
  readonly missing: ByteRange[] = [];
  readonly #sent: { start: number; bytes: Uint8Array<ArrayBuffer> }[] = [];

  /**
   * @param bytes of all ranges, in their order
   * @throws RangeError when the bytes do not have the length of the ranges
   */
  constructor(ranges: readonly ByteRange[], bytes: Uint8Array<ArrayBuffer>) {
    let at = 0;
    for (const [start, end] of ranges) {
      this.#sent.push({ start, bytes: bytes.subarray(at, at + end - start) });
      at += end - start;
    }
    if (at !== bytes.length)
      throw new RangeError(`the ranges have ${at} bytes, and ${bytes.length} were sent`);
  }

  async read(_path: FilePath, start = 0, end = 0): Promise<Uint8Array<ArrayBuffer>> {
    const found = this.#sent.find((sent) => sent.start <= start && end <= sent.start + sent.bytes.length);
    if (found) return found.bytes.slice(start - found.start, end - found.start);
    this.missing.push([start, end]);
    throw new RangeError(`bytes ${start} to ${end} were not sent`);
  }
}
