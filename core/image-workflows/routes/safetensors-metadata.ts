import type { FilePath, Files } from '#core/host';

/** Bytes. A longer header is not read. */
const MAX_HEADER = 1024 * 1024;

/**
 * The `__metadata__` of a safetensors file: its header is a length of 8 bytes, then JSON. Undefined when there is no
 * such file, or no header that can be read.
 */
export async function safetensorsMetadata(files: Files, path: FilePath): Promise<unknown> {
  const info = await files.stat(path);
  if (info?.kind !== 'file' || info.size < 8) return undefined;
  const head = await files.read(path, 0, 8);
  const length = new DataView(head.buffer, head.byteOffset).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER)) return undefined;
  try {
    const header = new TextDecoder().decode(await files.read(path, 8, 8 + Number(length)));
    return (JSON.parse(header) as Record<string, unknown>).__metadata__;
  } catch {
    return undefined;
  }
}
