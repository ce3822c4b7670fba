/** FLAC encoder (RFC 9639) for 16 bits, with the fixed predictors. */
import { createMD5, type IHasher } from 'hash-wasm';
import { roundHalfEven, runYielding, type Steps } from '#core/base';
import { BitWriter } from './bit-writer.ts';
import { crc8, crc16 } from './checksums.ts';
import { chooseChannelLayout } from './stereo.ts';
import { chooseSubframe } from './subframes.ts';

/** Samples of each block but the last. */
const BLOCK = 4096;
/** Bits of a sample. */
const BITS = 16;
/** Bytes of the block STREAMINFO. */
const STREAM_INFO = 34;

/** The limits of FLAC's header fields. */
const MAX_RATE = 2 ** 20 - 1;
const MAX_CHANNELS = 8;

/**
 * Encodes audio as a FLAC file.
 * @param planes One array for each channel. Samples are clamped to -1..1.
 * @param texts Comments of the file.
 * Rejects for sample rates and numbers of channels that the format does not allow, or with the signal's reason.
 */
export async function encodeFlac(
  planes: readonly Float32Array[],
  sampleRate: number,
  texts: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!Number.isInteger(sampleRate) || sampleRate < 1 || sampleRate > MAX_RATE)
    throw new Error(`FLAC files have sample rates from 1 to ${MAX_RATE}, not ${sampleRate}`);
  if (planes.length < 1 || planes.length > MAX_CHANNELS)
    throw new Error(`FLAC files have 1 to ${MAX_CHANNELS} channels, not ${planes.length}`);
  const writer = new BitWriter();
  const hash = await createMD5();
  const sizes = await runYielding(writeFrames(writer, planes, hash), signal);
  const info = { sampleRate, channels: planes.length, samples: planes[0]!.length, ...sizes };
  const head = streamHead(info, hash.digest('binary'), texts);
  const file = new Uint8Array(head.length + writer.bytes.length);
  file.set(head);
  file.set(writer.bytes, head.length);
  return file;
}

/** Samples as integers of 16 bits, rounded half to even. NaN becomes 0. */
function toInt16(plane: Float32Array): Int16Array {
  const samples = new Int16Array(plane.length);
  for (let i = 0; i < plane.length; i++) {
    const scaled = plane[i]! * 2 ** (BITS - 1);
    samples[i] = scaled >= 32767 ? 32767 : scaled <= -32768 ? -32768 : roundHalfEven(scaled);
  }
  return samples;
}

interface FrameSizes {
  smallest: number;
  largest: number;
}

/** Writes all frames, and updates `hash` with the samples. Returns the sizes for STREAMINFO. */
function* writeFrames(
  writer: BitWriter,
  planes: readonly Float32Array[],
  hash: Pick<IHasher, 'update'>,
): Steps<FrameSizes> {
  const length = planes[0]!.length;
  const sizes = { smallest: length === 0 ? 0 : Number.POSITIVE_INFINITY, largest: 0 };
  for (let start = 0; start < length; start += BLOCK) {
    const before = writer.bytes.length;
    const block = planes.map((plane) => toInt16(plane.subarray(start, start + BLOCK)));
    hash.update(interleaved(block));
    writeFrame(writer, start / BLOCK, block);
    const size = writer.bytes.length - before;
    sizes.smallest = Math.min(sizes.smallest, size);
    sizes.largest = Math.max(sizes.largest, size);
    yield;
  }
  return sizes;
}

/** The samples of all channels interleaved, little endian. Their digest in STREAMINFO lets decoders notice damage. */
function interleaved(block: readonly Int16Array[]): Uint8Array {
  const length = block[0]!.length;
  const view = new DataView(new ArrayBuffer(length * block.length * 2));
  let at = 0;
  for (let i = 0; i < length; i++)
    for (const plane of block) {
      view.setInt16(at, plane[i]!, true);
      at += 2;
    }
  return new Uint8Array(view.buffer);
}

function writeFrame(writer: BitWriter, number: number, block: readonly Int16Array[]): void {
  const start = writer.bytes.length;
  const { assignment, channels } = chooseChannelLayout(block, BITS);
  const length = block[0]!.length;
  // The sync code, for blocks of a fixed size.
  writer.write(0xfff8, 16);
  // The size of the block: 4096, or 16 bits after the number. The sample rate is that of STREAMINFO.
  writer.write(length === BLOCK ? 0b1100 : 0b0111, 4);
  writer.write(0, 4);
  writer.write(assignment, 4);
  // 16 bits per sample, and a reserved zero.
  writer.write(0b1000, 4);
  for (const byte of codedNumber(number)) writer.write(byte, 8);
  if (length !== BLOCK) writer.write(length - 1, 16);
  writer.write(crc8(writer.bytes, start, writer.bytes.length), 8);
  for (const { samples, bits } of channels) chooseSubframe(samples, bits).write(writer);
  writer.align();
  writer.write(crc16(writer.bytes, start, writer.bytes.length), 16);
}

/** A number coded as UTF-8 encodes characters. */
function codedNumber(value: number): number[] {
  if (value < 0x80) return [value];
  const bytes: number[] = [];
  let rest = value;
  let room = 0x3f;
  while (rest > room) {
    bytes.unshift(0x80 | (rest & 0x3f));
    rest >>>= 6;
    room >>= 1;
  }
  return [(0xff & ~(2 * room + 1)) | rest, ...bytes];
}

interface StreamInfo extends FrameSizes {
  sampleRate: number;
  channels: number;
  samples: number;
}

function streamHead(
  { sampleRate, channels, samples, smallest, largest }: StreamInfo,
  digest: Uint8Array,
  texts: Readonly<Record<string, string>>,
): Uint8Array {
  const writer = new BitWriter();
  for (const letter of 'fLaC') writer.write(letter.charCodeAt(0), 8);
  writer.write(0, 8);
  writer.write(STREAM_INFO, 24);
  writer.write(BLOCK, 16);
  writer.write(BLOCK, 16);
  writer.write(smallest, 24);
  writer.write(largest, 24);
  writer.write(sampleRate, 20);
  writer.write(channels - 1, 3);
  writer.write(BITS - 1, 5);
  writer.write(Math.floor(samples / 2 ** 32), 4);
  writer.write(samples, 32);
  for (const byte of digest) writer.write(byte, 8);
  const comments = vorbisComments(texts);
  writer.write(0x80 | 4, 8);
  writer.write(comments.length, 24);
  const head = new Uint8Array(writer.bytes.length + comments.length);
  head.set(writer.bytes);
  head.set(comments, writer.bytes.length);
  return head;
}

/** Bytes of the comments, which have a length of 24 bits. */
const MAX_COMMENTS = 2 ** 24 - 1;

/** The block of comments. Omits the last texts while they do not fit. */
function vorbisComments(texts: Readonly<Record<string, string>>): Uint8Array {
  const encoder = new TextEncoder();
  const vendor = encoder.encode('tabd');
  const entries = Object.entries(texts).map(([name, text]) => encoder.encode(`${name}=${text}`));
  const size = (list: readonly Uint8Array[]) =>
    8 + vendor.length + list.reduce((sum, { length }) => sum + 4 + length, 0);
  while (size(entries) > MAX_COMMENTS) entries.pop();
  const bytes = new Uint8Array(size(entries));
  const view = new DataView(bytes.buffer);
  let at = 0;
  const put = (part: Uint8Array) => {
    view.setUint32(at, part.length, true);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  };
  put(vendor);
  view.setUint32(at, entries.length, true);
  at += 4;
  entries.forEach(put);
  return bytes;
}
