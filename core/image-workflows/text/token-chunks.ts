/** A token, or a learned vector in its place, and how much it counts. */
export interface WeightedToken {
  token: number | Float32Array;
  weight: number;
}

export interface ChunkOptions {
  start: number;
  end: number;
  /** What fills a chunk up. */
  pad: number;
  /** Tokens a chunk, with start and end. */
  length: number;
}

/** A part of a prompt of fewer tokens than this is not torn. */
const TEARABLE = 8;

/** Marks where a prompt asks for a new chunk. */
export const NEW_CHUNK = Symbol('a new chunk');

/** Deals the parts of a prompt out into chunks of one length; there is always one. */
export function toChunks(
  parts: readonly (readonly WeightedToken[] | typeof NEW_CHUNK)[],
  { start, end, pad, length }: ChunkOptions,
): WeightedToken[][] {
  const plain = (token: number): WeightedToken => ({ token, weight: 1 });
  const chunks: WeightedToken[][] = [];
  let current = [plain(start)];
  const close = () => {
    current.push(plain(end));
    while (current.length < length) current.push(plain(pad));
    chunks.push(current);
    current = [plain(start)];
  };
  for (const part of parts) {
    if (part === NEW_CHUNK) {
      close();
      continue;
    }
    let rest = part.slice();
    const tearable = rest.length >= TEARABLE;
    while (rest.length > 0) {
      const room = length - 1 - current.length;
      if (rest.length <= room) {
        current.push(...rest);
        break;
      }
      if (tearable || current.length === 1) {
        current.push(...rest.slice(0, room));
        rest = rest.slice(room);
      }
      close();
    }
  }
  close();
  return chunks;
}

/** All parts as one chunk without a start, filled up to `least` tokens. */
export function singleChunk(
  parts: Parameters<typeof toChunks>[0],
  { end, pad, padding = 0, least }: { end: number; pad: number; padding?: number; least: number },
): WeightedToken[] {
  const tokens: WeightedToken[] = parts.flatMap((part) => (part === NEW_CHUNK ? [] : part));
  tokens.push({ token: end, weight: 1 });
  const length = Math.max(tokens.length + padding, least);
  while (tokens.length < length) tokens.push({ token: pad, weight: 1 });
  return tokens;
}
