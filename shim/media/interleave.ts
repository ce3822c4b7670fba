import type { PcmAudio } from '#core/host';

/** The number of samples of each channel in a piece. */
const PIECE = 2 ** 16;

/** Audio as interleaved 32-bit floats, in pieces. */
export function* interleavedPieces({ channels }: PcmAudio): Generator<Uint8Array> {
  const length = channels[0]?.length ?? 0;
  for (let start = 0; start < length; start += PIECE) {
    const size = Math.min(PIECE, length - start);
    const piece = new Float32Array(size * channels.length);
    for (const [channel, plane] of channels.entries())
      for (let at = 0; at < size; at++) piece[at * channels.length + channel] = plane[start + at]!;
    yield new Uint8Array(piece.buffer);
  }
}

/** Splits interleaved 32-bit floats, in pieces of any size, into channels. */
export function separateChannels(pieces: readonly Uint8Array[], channels: number): Float32Array[] {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const length = Math.floor(bytes / 4 / channels);
  const samples = new Float32Array(length * channels);
  const target = new Uint8Array(samples.buffer);
  let at = 0;
  for (const piece of pieces) {
    target.set(piece.subarray(0, target.length - at), at);
    at += piece.length;
  }
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new Float32Array(length);
    for (let i = 0; i < length; i++) plane[i] = samples[i * channels + channel]!;
    return plane;
  });
}
