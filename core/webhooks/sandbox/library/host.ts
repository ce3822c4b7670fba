/**
 * The functions of the thread around the sandbox. Everything in this folder runs inside of QuickJS: it is bundled into
 * `../library.json`, and sees nothing else of the server.
 */
interface HostFunctions {
  /** Digest of UTF-8 text, or of bytes. */
  hash(algorithm: string, data: string | ArrayBuffer, encoding: 'hex' | 'base64'): string;
  hmac(algorithm: string, key: ArrayBuffer, data: ArrayBuffer, encoding: 'hex' | 'base64'): string;
  /** Returns the text of the bytes as JSON. */
  decode(data: ArrayBuffer, encoding: Encoding): string;
  /** Takes the text as JSON. */
  encode(text: string, encoding: Encoding): ArrayBuffer;
  random(count: number): ArrayBuffer;
  /** Calls a method of a formatter of `Intl`. Takes and returns JSON. */
  intl(call: string): string;
  /** Minutes east of UTC at a time (milliseconds since 1970), or NaN for an unknown zone. */
  offset(zone: string, millis: number): number;
}

/** An encoding of a Buffer, by its short name. */
export type Encoding = 'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'hex' | 'base64' | 'base64url';

declare const __host: HostFunctions;

/** Read once: the global is deleted before code of workflows runs. */
export const host = __host;
