import type { Blobs, Digest } from '#core/host';

/** Reads the bytes [start, end) of a blob into memory. */
export async function readBlobRange(
  blobs: Pick<Blobs, 'read'>,
  digest: Digest,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(blobs.read(digest, start, end)).arrayBuffer());
}
