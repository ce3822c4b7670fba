/** A token, or a learned vector in its place, and its weight; 1 is neutral. */
export interface WeightedToken {
  token: number | Float32Array;
  weight: number;
}

/** Marks where a prompt asks for a new chunk. */
export const CHUNK_BREAK = Symbol('chunk break');

/** Tokens that belong together, or a chunk break. */
export type PromptPart = readonly WeightedToken[] | typeof CHUNK_BREAK;

export interface ChunkOptions {
  /** Undefined: chunks begin with their first word. */
  start: number | undefined;
  end: number;
  /** The token that fills a chunk up. */
  pad: number;
  /** Tokens in a chunk, with start and end. */
  length: number;
}

/** Parts of at least this many tokens may be split between two chunks. */
const MIN_SPLIT = 8;

/** Distributes the parts of a prompt over chunks of one length. An empty prompt gets one chunk. */
export function toChunks(
  parts: readonly PromptPart[],
  { start, end, pad, length }: ChunkOptions,
): WeightedToken[][] {
  const neutral = (token: number): WeightedToken => ({ token, weight: 1 });
  const chunks: WeightedToken[][] = [];
  const begin = () => (start === undefined ? [] : [neutral(start)]);
  const empty = begin().length;
  let current = begin();
  const close = () => {
    current.push(neutral(end));
    while (current.length < length) current.push(neutral(pad));
    chunks.push(current);
    current = begin();
  };
  for (const part of parts) {
    if (part === CHUNK_BREAK) {
      close();
      continue;
    }
    let rest = part.slice();
    const maySplit = rest.length >= MIN_SPLIT;
    while (rest.length > 0) {
      const room = length - 1 - current.length;
      if (rest.length <= room) {
        current.push(...rest);
        break;
      }
      if (maySplit || current.length === empty) {
        current.push(...rest.slice(0, room));
        rest = rest.slice(room);
      }
      close();
    }
  }
  close();
  return chunks;
}

export interface SingleChunkOptions {
  start?: number | undefined;
  end: number | undefined;
  pad: number;
  /** Pad tokens that are always added. */
  padding?: number;
  /** Tokens that the chunk has at least. */
  minLength: number;
}

/** All parts as one chunk, for encoders that take any length. */
export function singleChunk(
  parts: readonly PromptPart[],
  { start, end, pad, padding = 0, minLength }: SingleChunkOptions,
): WeightedToken[] {
  const neutral = (token: number | undefined): WeightedToken[] =>
    token === undefined ? [] : [{ token, weight: 1 }];
  const words = parts.flatMap((part) => (part === CHUNK_BREAK ? [] : part));
  const tokens = [...neutral(start), ...words, ...neutral(end)];
  const length = Math.max(tokens.length + padding, minLength);
  while (tokens.length < length) tokens.push({ token: pad, weight: 1 });
  return tokens;
}
