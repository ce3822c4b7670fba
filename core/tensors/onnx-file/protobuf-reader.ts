import { ModelCorrupt } from '#core/host';

/** Reads bytes [start, end) of a file. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** Bytes that are read ahead. */
const READ_AHEAD = 64 * 1024;
/** Bytes. Only this much of a longer text is read. Names are shorter. */
const MAX_TEXT = 4096;

/**
 * A position in a protobuf file. It reads the file in windows; fields that are skipped are not read at all.
 * Its methods reject with `ModelCorrupt`.
 */
export class ProtobufReader {
  /** The offset of the next byte. Set it to skip. */
  at = 0;
  #window = new Uint8Array(0);
  #windowStart = 0;

  constructor(
    readonly size: number,
    private readonly read: ReadRange,
  ) {}

  /** A varint of up to 64 bits. Above 2^53 the lowest digits are lost; ONNX files have no such numbers that matter. */
  async varint(): Promise<number> {
    let value = 0;
    for (let digit = 0; digit < 10; digit++) {
      const byte = this.#isBuffered() ? this.#next() : await this.#fetch();
      value += (byte & 0x7f) * 2 ** (7 * digit);
      if (byte < 0x80) return value;
    }
    throw new ModelCorrupt('it is no ONNX file');
  }

  /** The text up to the offset `end`; at most its first 4096 bytes. */
  async text(end: number): Promise<string> {
    const bytes = new Uint8Array(Math.min(end - this.at, MAX_TEXT));
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.#isBuffered() ? this.#next() : await this.#fetch();
    return new TextDecoder().decode(bytes);
  }

  #isBuffered(): boolean {
    return this.at >= this.#windowStart && this.at < this.#windowStart + this.#window.length;
  }

  #next(): number {
    return this.#window[this.at++ - this.#windowStart]!;
  }

  /** Reads the next window and returns its first byte. */
  async #fetch(): Promise<number> {
    if (this.at >= this.size) throw new ModelCorrupt('its graph is cut off or damaged');
    this.#windowStart = this.at;
    this.#window = (await this.read(
      this.at,
      Math.min(this.at + READ_AHEAD, this.size),
    )) as Uint8Array<ArrayBuffer>;
    return this.#next();
  }
}

/**
 * Calls `use` for each field of a message that ends at the offset `end`. Rejects with `ModelCorrupt`.
 * @param use receives the number of the field. For a field with a length, the reader stands at its beginning and
 *   `fieldEnd` is the offset of its end; unread bytes are skipped. For a varint, `fieldEnd` is undefined and `value` holds
 *   the number. Fields of 4 and 8 bytes are skipped.
 */
export async function forEachField(
  reader: ProtobufReader,
  end: number,
  use: (field: number, fieldEnd: number | undefined, value: number) => Promise<void>,
): Promise<void> {
  while (reader.at < end) {
    const key = await reader.varint();
    const field = Math.floor(key / 8);
    let fieldEnd: number;
    switch (key % 8) {
      case 0:
        await use(field, undefined, await reader.varint());
        continue;
      case 1:
        fieldEnd = reader.at + 8;
        break;
      case 5:
        fieldEnd = reader.at + 4;
        break;
      case 2: {
        const length = await reader.varint();
        fieldEnd = reader.at + length;
        if (fieldEnd <= end) await use(field, fieldEnd, 0);
        break;
      }
      default:
        throw new ModelCorrupt('it is no ONNX file');
    }
    if (fieldEnd > end || reader.at > fieldEnd) throw new ModelCorrupt('its graph is cut off or damaged');
    reader.at = fieldEnd;
  }
  if (reader.at > end) throw new ModelCorrupt('its graph is cut off or damaged');
}
