import jpegDecode from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm?url';
import jpegEncode from '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm?url';
import webpDecode from '@jsquash/webp/codec/dec/webp_dec.wasm?url';
import webpEncode from '@jsquash/webp/codec/enc/webp_enc_simd.wasm?url';
import type { CodecFile, CodecFiles } from '#core/host';

const ADDRESSES: Record<CodecFile, string> = {
  'jpeg-decode': jpegDecode,
  'jpeg-encode': jpegEncode,
  'webp-decode': webpDecode,
  'webp-encode': webpEncode,
};

/** Fetched from where this worker came from. */
export const browserCodecs: CodecFiles = {
  async read(file) {
    const answer = await fetch(ADDRESSES[file]);
    if (!answer.ok) throw new Error(`the codec ${file} cannot be loaded (${answer.status})`);
    return answer.arrayBuffer();
  },
};
