/** Image formats whose code is WebAssembly: the core holds the JavaScript of a codec, the platform its `.wasm` file. */
export type CodecFile = 'jpeg-decode' | 'jpeg-encode' | 'webp-decode' | 'webp-encode';

/** Where the codecs of images find their WebAssembly. */
export interface CodecFiles {
  /** The bytes of a codec's `.wasm` file, fetched when they are first needed. Rejects when that fails. */
  read(file: CodecFile): Promise<BufferSource>;
}
