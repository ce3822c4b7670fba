import { runYielding, type Steps } from '#core/base';
import type { PcmAudio } from '#core/host';
import { AudioUnreadable, requireReadableLength } from './audio-unreadable.ts';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

interface Format {
  kind: number;
  channels: number;
  sampleRate: number;
  bits: number;
}

/**
 * Decodes a WAV file with integers of 8 to 32 bits, or floats of 32 or 64 bits. A file that ends early is read up to its
 * end. Rejects with `AudioUnreadable` for other and damaged files, or the signal's reason.
 */
export async function decodeWav(bytes: Uint8Array, signal: AbortSignal): Promise<PcmAudio> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Format | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    const size = view.getUint32(at + 4, true);
    const start = at + 8;
    if (name === 'fmt ') format = readFormat(view, start, size);
    if (name === 'data') {
      if (!format) throw new AudioUnreadable('the WAV file does not contain the format of its samples');
      return runYielding(read(view, start, Math.min(size, bytes.length - start), format), signal);
    }
    at = start + size + (size % 2);
  }
  throw new AudioUnreadable('the WAV file contains no audio: it is damaged');
}

function readFormat(view: DataView, start: number, size: number): Format {
  if (size < 16 || start + size > view.byteLength) throw new AudioUnreadable('the WAV file is damaged');
  let kind = view.getUint16(start, true);
  // Extensible formats contain the actual kind at the start of a GUID.
  if (kind === EXTENSIBLE && size >= 26) kind = view.getUint16(start + 24, true);
  const format = {
    kind,
    channels: view.getUint16(start + 2, true),
    sampleRate: view.getUint32(start + 4, true),
    bits: view.getUint16(start + 14, true),
  };
  const allowed = kind === PCM ? [8, 16, 24, 32] : kind === FLOAT ? [32, 64] : [];
  if (!allowed.includes(format.bits))
    throw new AudioUnreadable(
      `the samples of the WAV file have format ${kind} with ${format.bits} bits: save it as PCM or float`,
    );
  if (format.channels < 1 || format.sampleRate < 1) throw new AudioUnreadable('the WAV file is damaged');
  return format;
}

/** Samples between two steps. */
const SAMPLES_PER_STEP = 2 ** 14;

function* read(view: DataView, start: number, size: number, format: Format): Steps<PcmAudio> {
  const { kind, channels, sampleRate, bits } = format;
  const width = bits / 8;
  const samples = Math.floor(size / (width * channels));
  requireReadableLength('WAV', channels, samples);
  const valueAt = READERS[`${kind} ${bits}`]!;
  const planes = Array.from({ length: channels }, () => new Float32Array(samples));
  let at = start;
  for (let sample = 0; sample < samples; sample++) {
    for (const plane of planes) {
      plane[sample] = valueAt(view, at);
      at += width;
    }
    if (sample % SAMPLES_PER_STEP === SAMPLES_PER_STEP - 1) yield;
  }
  return { sampleRate, channels: planes };
}

/** Readers of one sample as a number from -1 to 1, by format and bits. */
const READERS: Record<string, (view: DataView, at: number) => number> = {
  '1 8': (view, at) => (view.getUint8(at) - 128) / 2 ** 7,
  '1 16': (view, at) => view.getInt16(at, true) / 2 ** 15,
  '1 24': (view, at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 2 ** 16) / 2 ** 23,
  '1 32': (view, at) => view.getInt32(at, true) / 2 ** 31,
  '3 32': (view, at) => view.getFloat32(at, true),
  '3 64': (view, at) => view.getFloat64(at, true),
};
