/**
 * What the thread around the sandbox does for it. Everything in this folder runs inside of QuickJS: it is bundled into
 * `../library.json`, and sees nothing else of the server.
 */
export interface HostFunctions {
  /** Digest of UTF-8 text, or of bytes given in base64. */
  hash(algorithm: string, data: string, encoding: 'hex' | 'base64', form?: 'text' | 'base64'): string;
  /** Key and data in base64. */
  hmac(algorithm: string, key: string, data: string, encoding: 'hex' | 'base64'): string;
  /** Random bytes in base64. */
  random(count: number): string;
  /** A method of a formatter of `Intl`; everything as JSON. */
  intl(call: string): string;
  /** Minutes east of UTC at this time, or NaN for an unknown zone. */
  offset(zone: string, millis: number): number;
}

declare const __host: HostFunctions;

/** Taken once: the global is gone when code of others runs. */
export const host = __host;
