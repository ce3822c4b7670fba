/** Pieces of channels after one another: one array a channel. */
export function joined(pieces: readonly (readonly Float32Array[])[]): Float32Array[] {
  const channels = Math.max(0, ...pieces.map((piece) => piece.length));
  const length = pieces.reduce((sum, piece) => sum + piece[0]!.length, 0);
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new Float32Array(length);
    let at = 0;
    for (const piece of pieces) {
      // One that has fewer channels than others is heard from all of them.
      plane.set(piece[channel] ?? piece[0]!, at);
      at += piece[0]!.length;
    }
    return plane;
  });
}
