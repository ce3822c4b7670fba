import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';

/** Far above all tokenizers. */
const LONGEST = 64 * 1024 * 1024;

/** The whole of a stored file that is no weights. Throws `ModelCorrupt` for one that is too long to be. */
export async function readSmallFile(
  blobs: Pick<Blobs, 'read'>,
  { digest, size, name }: ModelFile,
): Promise<Uint8Array> {
  if (size > LONGEST) throw new ModelCorrupt(`${name ?? digest} is too long (${size} bytes)`);
  return new Uint8Array(await new Response(blobs.read(digest)).arrayBuffer());
}
