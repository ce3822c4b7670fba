/** Request bodies compressed with Zstandard (RFC 8878). */
import { ZSTDDecoder } from 'zstddec';
import { ApiError } from '../errors/api-error.ts';

/** Bytes. */
const MAX_DECOMPRESSED = 20 * 2 ** 20;
/** Bytes. Data that does not compress grows a little. */
const MAX_COMPRESSED = MAX_DECOMPRESSED + 2 ** 20;

const undecodable = () => new ApiError(400, 'failed to decompress request body');

/**
 * Decompresses a body.
 * @throws ApiError 400 for damaged data, for a body of no bytes, and for more than 20 MiB decompressed
 * @throws ApiError 500 if the decoder does not load
 */
export async function decompressZstd(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length > MAX_COMPRESSED) throw undecodable();
  const decoder = new ZSTDDecoder();
  try {
    // The library reads its WebAssembly from an address of `data:`.
    await decoder.init();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const advice = 'send the body uncompressed, or allow data: in connect-src of the page';
    throw new ApiError(500, `the Zstandard decoder does not load (${cause}): ${advice}`);
  }
  // The size is a limit, and the library returns no bytes after an error.
  const decompressed = decoder.decode(bytes, MAX_DECOMPRESSED);
  if (decompressed.length === 0) throw undecodable();
  return decompressed;
}
