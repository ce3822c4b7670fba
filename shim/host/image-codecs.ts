import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { CodecFile, CodecFiles } from '#core/host';

/** The files within their packages. The build copies them next to the program, under the keys of this table. */
const SOURCES: Record<CodecFile, string> = {
  'jpeg-decode': '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  'jpeg-encode': '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm',
  'webp-decode': '@jsquash/webp/codec/dec/webp_dec.wasm',
  'webp-encode': '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
};

export const nodeCodecs: CodecFiles = { read: (file) => readFile(codecPath(file)) };

function codecPath(file: CodecFile): string {
  if (import.meta.url.endsWith('.ts')) return createRequire(import.meta.url).resolve(SOURCES[file]);
  // The bundler puts this module into the package's folder or into a folder of shared chunks below it.
  const here = fileURLToPath(new URL(`./codecs/${file}.wasm`, import.meta.url));
  return existsSync(here) ? here : fileURLToPath(new URL(`../codecs/${file}.wasm`, import.meta.url));
}
