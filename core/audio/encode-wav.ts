/** The parts of a WAV file with one channel of 16 bits. */

const HEAD = 44;
const BITS = 16;
/** The length of a stream that has not ended: the largest number that the header can hold. */
const UNKNOWN = 2 ** 32 - 1;

/** Samples as integers of 16 bits, lowest byte first. Those outside of -1 to 1 are clamped. */
export function pcm16(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (const [index, value] of samples.entries())
    view.setInt16(index * 2, Math.round(Math.min(1, Math.max(-1, value)) * 32_767), true);
  return new Uint8Array(view.buffer);
}

/**
 * The head of a file, before the samples.
 * @param samples how many follow. Undefined: it is not known, and readers read up to the end
 */
export function wavHead(sampleRate: number, samples: number | undefined): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD);
  const view = new DataView(bytes.buffer);
  const text = (at: number, letters: string) => bytes.set(new TextEncoder().encode(letters), at);
  const size = samples === undefined ? UNKNOWN : samples * 2;
  text(0, 'RIFF');
  view.setUint32(4, samples === undefined ? UNKNOWN : HEAD - 8 + size, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, (sampleRate * BITS) / 8, true);
  view.setUint16(32, BITS / 8, true);
  view.setUint16(34, BITS, true);
  text(36, 'data');
  view.setUint32(40, size, true);
  return bytes;
}
