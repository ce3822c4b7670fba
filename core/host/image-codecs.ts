/** Picture formats whose code is WebAssembly: the core has the rest of it, the platform has the files. */
export type CodecFile = 'jpeg-decode' | 'jpeg-encode' | 'webp-decode' | 'webp-encode';

export interface CodecFiles {
  /** The bytes of a codec. Fetched or read when first needed; rejects when that cannot be done. */
  read(file: CodecFile): Promise<BufferSource>;
}
