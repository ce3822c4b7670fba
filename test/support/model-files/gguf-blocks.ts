/** Blocks of GGUF's formats with their numbers (test/diffusers/scripts/gguf_blocks.py). */
import answers from '../../diffusers/weight_files/gguf_blocks.json' with { type: 'json' };

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** Four blocks of every format. */
export const BLOCKS = Object.entries(answers).map(([type, { bytes, numbers }]) => ({
  type,
  bytes: bytesOf(bytes),
  numbers: new Float32Array(bytesOf(numbers).buffer),
}));
