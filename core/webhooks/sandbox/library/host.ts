/**
 * What the thread around the sandbox does for it. Everything in this folder runs inside of QuickJS: it is bundled into
 * `../library.json`, and sees nothing else of the server.
 */
export interface HostFunctions {
  /** Digest of UTF-8 text, or of bytes. */
  hash(algorithm: string, data: string | ArrayBuffer, encoding: 'hex' | 'base64'): string;
  hmac(algorithm: string, key: ArrayBuffer, data: ArrayBuffer, encoding: 'hex' | 'base64'): string;
  /** JSON of the text that the bytes are. */
  decode(data: ArrayBuffer, encoding: Encoding): string;
  /** Bytes of a text that is given as JSON. */
  encode(text: string, encoding: Encoding): ArrayBuffer;
  random(count: number): ArrayBuffer;
  /** A method of a formatter of `Intl`; everything as JSON. */
  intl(call: string): string;
  /** Minutes east of UTC at this time, or NaN for an unknown zone. */
  offset(zone: string, millis: number): number;
}

/** Of a Buffer. */
export type Encoding = 'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'hex' | 'base64' | 'base64url';

declare const __host: HostFunctions;

/** Taken once: the global is gone when code of others runs. */
export const host = __host;
