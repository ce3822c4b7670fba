/**
 * Joins chunks of audio, one array per channel. If a chunk has fewer channels than others, its channels are repeated
 * for the missing ones.
 * @param chunks each an array of samples per channel
 */
export function joinPlanes(chunks: readonly (readonly Float32Array[])[]): Float32Array[] {
  const channels = Math.max(0, ...chunks.map((chunk) => chunk.length));
  const length = chunks.reduce((sum, chunk) => sum + chunk[0]!.length, 0);
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new Float32Array(length);
    let at = 0;
    for (const chunk of chunks) {
      plane.set(chunk[channel] ?? chunk[0]!, at);
      at += chunk[0]!.length;
    }
    return plane;
  });
}
