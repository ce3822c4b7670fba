import jpegDecode from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm?url';
import jpegEncode from '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm?url';
import webpDecode from '@jsquash/webp/codec/dec/webp_dec.wasm?url';
import webpEncode from '@jsquash/webp/codec/enc/webp_enc_simd.wasm?url';
import type { CodecFile, CodecFiles } from '#core/host';

const CODEC_URLS: Record<CodecFile, string> = {
  'jpeg-decode': jpegDecode,
  'jpeg-encode': jpegEncode,
  'webp-decode': webpDecode,
  'webp-encode': webpEncode,
};

/** The files of the image codecs, fetched from this worker's origin. */
export const browserCodecs: CodecFiles = {
  async read(file) {
    const response = await fetch(CODEC_URLS[file]);
    if (!response.ok) throw new Error(`the codec ${file} cannot be loaded (${response.status})`);
    return response.arrayBuffer();
  },
};
