/** Node's Buffer. Where many bytes become text or text bytes, the thread does it: here each is a step of an interpreter. */
import { Buffer } from 'buffer';
import { type Encoding, host } from '../host.ts';

export { Buffer };

/** Below this many, a call of the thread costs more. */
const MANY = 256;

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

const own = { from: Buffer.from, toString: Buffer.prototype.toString, isEncoding: Buffer.isEncoding };

Object.assign(Buffer, {
  from(value: unknown, encoding?: unknown, length?: unknown) {
    const known = typeof value === 'string' && encodingOf(encoding);
    if (known && ((value as string).length >= MANY || known === 'base64url')) {
      return own.from(host.encode(JSON.stringify(value), known));
    }
    return own.from(value as never, encoding as never, length as never);
  },
  isEncoding: (name: unknown) => name === 'base64url' || own.isEncoding(name as string),
});

const textOfBuffer = function (this: Buffer, encoding?: unknown, start?: number, end?: number): string {
  const known = encodingOf(encoding);
  if (!known || (this.length < MANY && known !== 'base64url')) {
    return own.toString.call(this, encoding as 'utf8', start, end);
  }
  const from = Math.max(0, Math.trunc(start ?? 0) || 0);
  const to = Math.max(from, Math.trunc(end ?? this.length) || 0);
  return textOf(this.subarray(from, to), known);
};
Object.assign(Buffer.prototype, { toString: textOfBuffer, toLocaleString: textOfBuffer });

export function textOf(bytes: Uint8Array, encoding: Encoding): string {
  return JSON.parse(host.decode(bufferOf(bytes), encoding)) as string;
}

export function utf8Bytes(text: string): Uint8Array {
  return new Uint8Array(host.encode(JSON.stringify(text), 'utf8'));
}

/** Bytes of whatever stands for some; text is UTF-8 unless told. */
export function bytesOf(data: unknown, encoding?: string): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, (encoding ?? 'utf8') as 'utf8');
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError('The "data" argument must be a string, a Buffer, a TypedArray or a DataView');
}

/** An ArrayBuffer with just these bytes, which may be the one they are in. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  const whole = byteLength === buffer.byteLength;
  return (whole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer;
}
