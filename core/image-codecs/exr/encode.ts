/** OpenEXR files of one image: scan lines of 32-bit floats, in blocks of 16 lines that zlib compresses. */
import { zlibSync } from 'fflate';
import { concatBytes } from '#core/base';

/** An image in scene-linear light. */
export interface FloatPixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  /** Row-major, the channels of a pixel next to each other: red, green, blue and, of four, opacity. */
  readonly data: Float32Array;
}

/** Red, green, blue and white as x, y. */
export type Chromaticities = readonly number[];

const LINES_OF_BLOCK = 16;
const ZIP = 3;
const FLOAT = 2;
const text = new TextEncoder();

/**
 * @param options `texts` become attributes of these names; `chromaticities` say which colors red, green and blue are
 *   (default of the format: Rec. 709)
 */
export function encodeExr(
  pixels: FloatPixels,
  options: { texts?: Readonly<Record<string, string>>; chromaticities?: Chromaticities } = {},
): Uint8Array<ArrayBuffer> {
  const header = headerOf(pixels, options);
  const blocks: Uint8Array[] = [];
  for (let line = 0; line < pixels.height; line += LINES_OF_BLOCK) blocks.push(blockOf(pixels, line));
  const table = new DataView(new ArrayBuffer(8 * blocks.length));
  let offset = header.length + table.byteLength;
  for (const [at, { length }] of blocks.entries()) {
    table.setBigUint64(8 * at, BigInt(offset), true);
    offset += length;
  }
  return concatBytes([header, new Uint8Array(table.buffer), ...blocks]);
}

function headerOf(
  { width, height, channels }: FloatPixels,
  {
    texts = {},
    chromaticities,
  }: { texts?: Readonly<Record<string, string>>; chromaticities?: Chromaticities },
): Uint8Array {
  const window = int32(0, 0, width - 1, height - 1);
  return concatBytes([
    int32(20000630, 2),
    attribute('channels', 'chlist', concatBytes([...namesOf(channels).map(channelOf), Uint8Array.of(0)])),
    ...(chromaticities ? [attribute('chromaticities', 'chromaticities', float32(...chromaticities))] : []),
    attribute('compression', 'compression', Uint8Array.of(ZIP)),
    attribute('dataWindow', 'box2i', window),
    attribute('displayWindow', 'box2i', window),
    attribute('lineOrder', 'lineOrder', Uint8Array.of(0)),
    attribute('pixelAspectRatio', 'float', float32(1)),
    attribute('screenWindowCenter', 'v2f', float32(0, 0)),
    attribute('screenWindowWidth', 'float', float32(1)),
    ...Object.entries(texts).map(([name, value]) => attribute(name, 'string', text.encode(value))),
    Uint8Array.of(0),
  ]);
}

/** The format lists channels by name. */
const namesOf = (channels: 3 | 4): readonly string[] =>
  channels === 4 ? ['A', 'B', 'G', 'R'] : ['B', 'G', 'R'];
const channelOf = (name: string) => concatBytes([text.encode(`${name}\0`), int32(FLOAT, 0, 1, 1)]);

/** Names and types of attributes have at most 31 bytes. */
const attribute = (name: string, type: string, value: Uint8Array) =>
  concatBytes([text.encode(`${name.slice(0, 31)}\0${type}\0`), int32(value.length), value]);

const int32 = (...values: number[]) => new Uint8Array(Int32Array.from(values).buffer);
const float32 = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

function blockOf({ width, height, channels, data }: FloatPixels, line: number): Uint8Array {
  const lines = Math.min(LINES_OF_BLOCK, height - line);
  const values = new Float32Array(lines * width * channels);
  let to = 0;
  for (let row = line; row < line + lines; row++)
    for (const name of namesOf(channels)) {
      const channel = 'RGBA'.indexOf(name);
      for (let x = 0; x < width; x++) values[to++] = data[(row * width + x) * channels + channel]!;
    }
  const raw = new Uint8Array(values.buffer);
  const packed = zlibSync(predicted(raw));
  // A block that compression would enlarge is stored as it is.
  const content = packed.length < raw.length ? packed : raw;
  return concatBytes([int32(line, content.length), content]);
}

/** Even bytes, then odd ones, each as its difference to the byte before it: floats compress much better so. */
function predicted(raw: Uint8Array): Uint8Array {
  const split = new Uint8Array(raw.length);
  const half = Math.ceil(raw.length / 2);
  for (let at = 0; at < raw.length; at++) split[at % 2 === 0 ? at / 2 : half + (at - 1) / 2] = raw[at]!;
  for (let at = split.length - 1; at > 0; at--) split[at] = split[at]! - split[at - 1]! + 128;
  return split;
}
