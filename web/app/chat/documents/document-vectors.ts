import type { DocumentText } from '../conversation.ts';

/** Passages of one request, so that a request can be cancelled soon. */
const BATCH = 4;

/** Computes one vector for each text. */
export type Embed = (texts: string[]) => Promise<number[][]>;

export interface VectorSource {
  model: string;
  /** The numbers of a vector of the model. */
  size: number;
  embed: Embed;
  /** Called with the number of passages that got their vectors. */
  done(count: number): void;
}

/** The vectors of the passages of a document, one after the other. Those that are stored are not computed again. */
export async function vectorsOf(
  { index }: DocumentText,
  passages: readonly string[],
  { model, size, embed, done }: VectorSource,
): Promise<Float32Array> {
  if (index?.model === model && index.vectors.length === passages.length * size) {
    done(passages.length);
    return index.vectors;
  }
  const rows: number[][] = [];
  for (let at = 0; at < passages.length; at += BATCH) {
    const batch = passages.slice(at, at + BATCH);
    rows.push(...(await embed(batch)));
    done(batch.length);
  }
  return new Float32Array(rows.flat());
}

/** The cosine similarity of `query` and each vector of `vectors`, from -1 to 1. */
export function similarities(vectors: Float32Array, query: readonly number[]): number[] {
  const size = query.length;
  const queryLength = Math.hypot(...query);
  return Array.from({ length: Math.floor(vectors.length / size) }, (_, row) => {
    let product = 0;
    let square = 0;
    for (let at = 0; at < size; at++) {
      const value = vectors[row * size + at]!;
      product += value * query[at]!;
      square += value * value;
    }
    const lengths = Math.sqrt(square) * queryLength;
    return lengths === 0 ? 0 : product / lengths;
  });
}
