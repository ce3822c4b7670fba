import { ModelCorrupt } from '../../../host/language-engine.ts';

/** A weight of an ONNX graph. */
export interface GraphWeight {
  name: string;
  /** `F32`, `F16`, `I8` …; the number where it has no name here. */
  type: string;
  shape: number[];
}

type Read = (start: number, end: number) => Promise<Uint8Array>;

const TYPES: Record<number, string> = {
  1: 'F32',
  2: 'U8',
  3: 'I8',
  6: 'I32',
  7: 'I64',
  9: 'BOOL',
  10: 'F16',
  11: 'F64',
  16: 'BF16',
};
const WINDOW = 64 * 1024;
const MOST_WEIGHTS = 200_000;
const LONGEST_NAME = 4096;

/** The weights that a graph names, without reading their numbers. `read` gives bytes [start, end). Throws `ModelCorrupt`. */
export async function readGraphWeights(size: number, read: Read): Promise<GraphWeight[]> {
  const cursor = new Cursor(size, read);
  const weights: GraphWeight[] = [];
  let hasGraph = false;
  await eachField(cursor, size, async (field, end) => {
    if (field !== 7 || end === undefined) return;
    hasGraph = true;
    await eachField(cursor, end, async (inner, innerEnd) => {
      if (inner !== 5 || innerEnd === undefined) return;
      if (weights.length === MOST_WEIGHTS) throw new ModelCorrupt('its graph has too many weights');
      weights.push(await readWeight(cursor, innerEnd));
    });
  });
  if (!hasGraph) throw new ModelCorrupt('it is no ONNX file');
  return weights;
}

async function readWeight(cursor: Cursor, end: number): Promise<GraphWeight> {
  const weight: GraphWeight = { name: '', type: '0', shape: [] };
  await eachField(cursor, end, async (field, stop, value) => {
    if (field === 1 && stop === undefined) weight.shape.push(value);
    else if (field === 1) while (cursor.at < stop!) weight.shape.push(await cursor.varint());
    else if (field === 2) weight.type = TYPES[value] ?? String(value);
    else if (field === 8 && stop !== undefined) weight.name = await cursor.text(stop - cursor.at);
  });
  return weight;
}

/** `end`: where a field with a length ends; undefined for a number, which is `value`. What is not read is skipped. */
async function eachField(
  cursor: Cursor,
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

/** Reads ahead by a window; skipping costs nothing. */
class Cursor {
  at = 0;
  #window = new Uint8Array(0);
  #start = 0;

  constructor(
    private readonly size: number,
    private readonly read: Read,
  ) {}

  /** Above 2^53 digits are lost; nothing that is used is as large. */
  async varint(): Promise<number> {
    let value = 0;
    for (let digit = 0; digit < 10; digit++) {
      const byte = await this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * digit);
      if (byte < 0x80) return value;
    }
    throw new ModelCorrupt('it is no ONNX file');
  }

  async text(length: number): Promise<string> {
    const bytes = new Uint8Array(Math.min(length, LONGEST_NAME));
    for (let i = 0; i < bytes.length; i++) bytes[i] = await this.#byte();
    return new TextDecoder().decode(bytes);
  }

  async #byte(): Promise<number> {
    if (this.at >= this.size) throw new ModelCorrupt('its graph is cut off or damaged');
    if (this.at < this.#start || this.at >= this.#start + this.#window.length) {
      this.#start = this.at;
      this.#window = (await this.read(
        this.at,
        Math.min(this.at + WINDOW, this.size),
      )) as Uint8Array<ArrayBuffer>;
    }
    return this.#window[this.at++ - this.#start]!;
  }
}
