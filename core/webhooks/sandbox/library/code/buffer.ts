/** Node's Buffer. The thread converts long texts and bytes: in here the interpreter would need a step for each byte. */
import { Buffer } from 'buffer';
import { type Encoding, host } from '../host.ts';

export { Buffer };

/** From this length on, a call of the thread is faster (bytes or characters). */
const LONG = 256;

const ENCODINGS: Record<string, Encoding> = {
  utf8: 'utf8',
  'utf-8': 'utf8',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
  utf16le: 'utf16le',
  'utf-16le': 'utf16le',
  latin1: 'latin1',
  binary: 'latin1',
  ascii: 'ascii',
  hex: 'hex',
  base64: 'base64',
  base64url: 'base64url',
};
const encodingOf = (name: unknown): Encoding | undefined => ENCODINGS[String(name || 'utf8').toLowerCase()];

const original = { from: Buffer.from, toString: Buffer.prototype.toString, isEncoding: Buffer.isEncoding };

Object.assign(Buffer, {
  from(value: unknown, encoding?: unknown, length?: unknown) {
    const encodingName = typeof value === 'string' && encodingOf(encoding);
    if (encodingName && ((value as string).length >= LONG || encodingName === 'base64url')) {
      return original.from(host.encode(JSON.stringify(value), encodingName));
    }
    return original.from(value as never, encoding as never, length as never);
  },
  isEncoding: (name: unknown) => name === 'base64url' || original.isEncoding(name as string),
});

const bufferToString = function (this: Buffer, encoding?: unknown, start?: number, end?: number): string {
  const encodingName = encodingOf(encoding);
  if (!encodingName || (this.length < LONG && encodingName !== 'base64url')) {
    return original.toString.call(this, encoding as 'utf8', start, end);
  }
  const from = Math.max(0, Math.trunc(start ?? 0) || 0);
  const to = Math.max(from, Math.trunc(end ?? this.length) || 0);
  return textOf(this.subarray(from, to), encodingName);
};
Object.assign(Buffer.prototype, { toString: bufferToString, toLocaleString: bufferToString });

/** Decodes bytes, in the thread. */
export function textOf(bytes: Uint8Array, encoding: Encoding): string {
  return JSON.parse(host.decode(bufferOf(bytes), encoding)) as string;
}

export function utf8Bytes(text: string): Uint8Array {
  return new Uint8Array(host.encode(JSON.stringify(text), 'utf8'));
}

/** The bytes of a text (UTF-8 by default), a buffer or a view. Throws a TypeError for other values. */
export function bytesOf(data: unknown, encoding?: string): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, (encoding ?? 'utf8') as 'utf8');
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError('The "data" argument must be a string, a Buffer, a TypedArray or a DataView');
}

/** An ArrayBuffer with exactly these bytes: the one that holds them, or a copy of a part of it. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  const isWholeBuffer = byteLength === buffer.byteLength;
  return (isWholeBuffer ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer;
}
