import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';

/** Bytes, far above the size of any tokenizer. */
const MAX_SIZE = 64 * 1024 * 1024;

/**
 * Reads a stored configuration or tokenizer into memory.
 * @throws ModelCorrupt when the file is too long to be one
 */
export async function readSmallFile(
  blobs: Pick<Blobs, 'read'>,
  { digest, size, name }: ModelFile,
): Promise<Uint8Array> {
  if (size > MAX_SIZE) throw new ModelCorrupt(`${name ?? digest} is too long (${size} bytes)`);
  return new Uint8Array(await new Response(blobs.read(digest)).arrayBuffer());
}
