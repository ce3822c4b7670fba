import { runYielding, type Steps } from '#core/base';

/** Bytes that are decoded in one step. */
export const DECODE_STEP = 1024 * 1024;

export interface DecodeTextOptions {
  /** A label of the Encoding Standard. Default: UTF-8. */
  encoding?: string;
  /** Whether a byte order mark stays a character. */
  ignoreBOM?: boolean;
}

/**
 * Decodes the bytes of a body in steps, and yields to the event loop.
 * @throws RangeError for an unknown encoding, or the signal's reason
 */
export function decodeText(
  bytes: Uint8Array,
  signal: AbortSignal,
  options: DecodeTextOptions = {},
): Promise<string> {
  return runYielding(decodeTextSteps(bytes, options), signal);
}

/** The steps of `decodeText`, of a MiB each. */
export function* decodeTextSteps(
  bytes: Uint8Array,
  { encoding = 'utf-8', ignoreBOM = false }: DecodeTextOptions = {},
): Steps<string> {
  const decoder = new TextDecoder(encoding, { ignoreBOM });
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += DECODE_STEP) {
    parts.push(decoder.decode(bytes.subarray(at, at + DECODE_STEP) as BufferSource, { stream: true }));
    yield;
  }
  parts.push(decoder.decode());
  return parts.join('');
}
