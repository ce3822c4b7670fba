/** Request bodies compressed with Zstandard. */
import { Decompress } from 'fzstd';
import { ApiError } from './api-error.ts';

const MAX_DECODED = 20 * 1024 * 1024;
const refused = () => new ApiError(400, 'failed to decompress request body');

/** Throws ApiError 400 for damaged data and for more than 20 MiB decoded. */
export function decompressZstd(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  const stream = new Decompress((piece, final) => {
    size += piece.byteLength;
    if (size > MAX_DECODED) throw refused();
    pieces.push(piece.slice());
    ended = final ?? false;
  });
  try {
    stream.push(bytes, true);
  } catch {
    throw refused();
  }
  if (!ended) throw refused();
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
