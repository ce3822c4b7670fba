/** FLAC decoder (RFC 9639). */

import { runYielding, type Steps } from '#core/base';
import type { PcmAudio } from '#core/host';
import { AudioUnreadable, requireReadableLength } from '../audio-unreadable.ts';
import { BitReader } from './bit-reader.ts';
import { crc8, crc16 } from './checksums.ts';
import { readSubframe } from './read-subframe.ts';
import { LEFT_SIDE, MID_SIDE, SIDE_RIGHT } from './stereo.ts';

interface StreamInfo {
  sampleRate: number;
  channels: number;
  bits: number;
  /** 0 when the file does not say. */
  samples: number;
}

const damaged = (reason: string) => new AudioUnreadable(`the FLAC file is damaged: ${reason}`);

/** Decodes a FLAC file. Rejects with `AudioUnreadable` for a damaged file, or the signal's reason. */
export function decodeFlac(bytes: Uint8Array, signal: AbortSignal): Promise<PcmAudio> {
  return runYielding(read(bytes), signal);
}

function* read(bytes: Uint8Array): Steps<PcmAudio> {
  const { info, start } = readHead(bytes);
  requireReadableLength('FLAC', info.channels, info.samples);
  const scale = 2 ** -(info.bits - 1);
  const blocks: Float32Array[][] = [];
  let samples = 0;
  // Old programs append tags after the last frame, which are ignored.
  for (let at = start; at < bytes.length && isFrame(bytes, at); ) {
    const { block, end } = readFrame(bytes, at, info);
    blocks.push(block.map((channel) => Float32Array.from(channel, (value) => value * scale)));
    samples += block[0]!.length;
    requireReadableLength('FLAC', info.channels, samples);
    at = end;
    yield;
  }
  if (info.samples > 0 && samples !== info.samples)
    throw damaged(`it declares ${info.samples} samples, and contains ${samples}`);
  const channels = Array.from({ length: info.channels }, () => new Float32Array(samples));
  let at = 0;
  for (const block of blocks) {
    for (const [channel, values] of block.entries()) channels[channel]!.set(values, at);
    at += block[0]!.length;
  }
  return { sampleRate: info.sampleRate, channels };
}

function readHead(bytes: Uint8Array): { info: StreamInfo; start: number } {
  let info: StreamInfo | undefined;
  for (let at = 4; ; ) {
    const reader = new BitReader(bytes, at);
    const isLast = reader.read(1) === 1;
    const kind = reader.read(7);
    const size = reader.read(24);
    if (kind === 0) {
      reader.read(16 + 16);
      reader.read(24 + 24);
      const [sampleRate, channels, bits] = [reader.read(20), reader.read(3) + 1, reader.read(5) + 1];
      info = { sampleRate, channels, bits, samples: reader.read(36) };
    }
    at += 4 + size;
    if (!isLast) continue;
    if (!info || info.sampleRate === 0) throw damaged('its header does not describe the audio');
    return { info, start: at };
  }
}

const isFrame = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8;

/** The samples of a block by their code in the frame header. Codes 6 and 7 are followed by the number. */
function blockSize(code: number, reader: BitReader): number {
  if (code === 1) return 192;
  if (code >= 2 && code <= 5) return 576 << (code - 2);
  if (code === 6) return reader.read(8) + 1;
  if (code === 7) return reader.read(16) + 1;
  if (code >= 8) return 256 << (code - 8);
  throw damaged('a frame has no size');
}

const BITS_BY_CODE = [0, 8, 12, undefined, 16, 20, 24, 32];

function readFrame(
  bytes: Uint8Array,
  start: number,
  info: StreamInfo,
): { block: Float64Array[]; end: number } {
  const reader = new BitReader(bytes, start);
  reader.read(16);
  const [sizeCode, rateCode, assignment, bitsCode] = [
    reader.read(4),
    reader.read(4),
    reader.read(4),
    reader.read(4),
  ];
  skipNumber(reader);
  const length = blockSize(sizeCode, reader);
  if (rateCode >= 12) reader.read(rateCode === 12 ? 8 : 16);
  const head = reader.position;
  if (reader.read(8) !== crc8(bytes, start, head)) throw damaged('the checksum of a frame is wrong');
  const bits = BITS_BY_CODE[bitsCode >> 1] || info.bits;
  const channels = assignment < LEFT_SIDE ? assignment + 1 : 2;
  if (channels !== info.channels || bits !== info.bits || assignment > MID_SIDE)
    throw damaged('a frame has another format than the file');
  const block = Array.from({ length: channels }, (_, channel) => {
    const isSide = channel === (assignment === SIDE_RIGHT ? 0 : 1) && assignment >= LEFT_SIDE;
    return readSubframe(reader, length, bits + (isSide ? 1 : 0));
  });
  reader.align();
  const end = reader.position;
  if (reader.read(16) !== crc16(bytes, start, end)) throw damaged('the checksum of a frame is wrong');
  undoStereoDifference(block, assignment);
  return { block, end: end + 2 };
}

/** Skips a number that is coded as UTF-8 encodes characters. */
function skipNumber(reader: BitReader): void {
  const first = reader.read(8);
  for (let bit = 0x40; first & 0x80 && first & bit; bit >>= 1) reader.read(8);
}

/** Restores left and right in place from a channel and the difference, or from middle and difference. */
function undoStereoDifference([first, second]: Float64Array[], assignment: number): void {
  if (assignment < LEFT_SIDE || !first || !second) return;
  for (let i = 0; i < first.length; i++) {
    const [a, b] = [first[i]!, second[i]!];
    if (assignment === LEFT_SIDE) second[i] = a - b;
    else if (assignment === SIDE_RIGHT) first[i] = a + b;
    else {
      // The middle lost the lowest bit of the sum, which equals that of the difference.
      const sum = 2 * a + (Math.abs(b) % 2);
      first[i] = (sum + b) / 2;
      second[i] = (sum - b) / 2;
    }
  }
}
