import { Buffer } from 'buffer';

export { Buffer };

/** Bytes of whatever stands for some; text is UTF-8 unless told. */
export function bytesOf(data: unknown, encoding?: string): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, (encoding ?? 'utf8') as 'utf8');
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError('The "data" argument must be a string, a Buffer, a TypedArray or a DataView');
}

export function toBase64(data: unknown, encoding?: string): string {
  const bytes = bytesOf(data, encoding);
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
