import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { CodecFile, CodecFiles } from '#core/host';
import { programFile, runsFromSource } from '../base/program-files.ts';

/** The files within their packages. The build copies them next to the program, under the keys of this table. */
const SOURCES: Record<CodecFile, string> = {
  'jpeg-decode': '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  'jpeg-encode': '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm',
  'webp-decode': '@jsquash/webp/codec/dec/webp_dec.wasm',
  'webp-encode': '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
};

export const nodeCodecs: CodecFiles = { read: (file) => readFile(codecPath(file)) };

function codecPath(file: CodecFile): string {
  return runsFromSource
    ? createRequire(import.meta.url).resolve(SOURCES[file])
    : programFile(`codecs/${file}.wasm`);
}
