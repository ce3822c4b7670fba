import { ModelCorrupt } from '#core/host';

/** Bytes [start, end) of a file. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

const WINDOW = 64 * 1024;
const LONGEST_TEXT = 4096;

/** A place in a protobuf file that is read ahead of by a window; skipping costs nothing. Throws `ModelCorrupt`. */
export class ProtobufReader {
  at = 0;
  #window = new Uint8Array(0);
  #start = 0;

  constructor(
    readonly size: number,
    private readonly read: ReadRange,
  ) {}

  /** Above 2^53 digits are lost; nothing that is used is as large. */
  async varint(): Promise<number> {
    let value = 0;
    for (let digit = 0; digit < 10; digit++) {
      const byte = this.#ready() ? this.#next() : await this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * digit);
      if (byte < 0x80) return value;
    }
    throw new ModelCorrupt('it is no ONNX file');
  }

  /** Text up to `end`; what is longer than any name is cut off. */
  async text(end: number): Promise<string> {
    const bytes = new Uint8Array(Math.min(end - this.at, LONGEST_TEXT));
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.#ready() ? this.#next() : await this.#byte();
    return new TextDecoder().decode(bytes);
  }

  #ready(): boolean {
    return this.at >= this.#start && this.at < this.#start + this.#window.length;
  }

  #next(): number {
    return this.#window[this.at++ - this.#start]!;
  }

  async #byte(): Promise<number> {
    if (this.at >= this.size) throw new ModelCorrupt('its graph is cut off or damaged');
    this.#start = this.at;
    this.#window = (await this.read(
      this.at,
      Math.min(this.at + WINDOW, this.size),
    )) as Uint8Array<ArrayBuffer>;
    return this.#next();
  }
}

/** `end`: where a field with a length ends; undefined for a number, which is `value`. What is not read is skipped. */
export async function forEachField(
  cursor: ProtobufReader,
  end: number,
  use: (field: number, end: number | undefined, value: number) => Promise<void>,
): Promise<void> {
  while (cursor.at < end) {
    const key = await cursor.varint();
    const field = Math.floor(key / 8);
    let stop: number;
    switch (key % 8) {
      case 0:
        await use(field, undefined, await cursor.varint());
        continue;
      case 1:
        stop = cursor.at + 8;
        break;
      case 5:
        stop = cursor.at + 4;
        break;
      case 2: {
        const length = await cursor.varint();
        stop = cursor.at + length;
        if (stop <= end) await use(field, stop, 0);
        break;
      }
      default:
        throw new ModelCorrupt('it is no ONNX file');
    }
    if (stop > end || cursor.at > stop) throw new ModelCorrupt('its graph is cut off or damaged');
    cursor.at = stop;
  }
  if (cursor.at > end) throw new ModelCorrupt('its graph is cut off or damaged');
}
