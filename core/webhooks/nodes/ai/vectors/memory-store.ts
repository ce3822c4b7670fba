/** Texts with their vectors, kept under a key for all workflows. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { Embeddings, TextDocument } from '../../../node-api/sub-nodes.ts';

interface StoredDocument extends TextDocument {
  vector: number[];
}

/** The documents of one key. */
export class MemoryStore {
  constructor(
    private readonly storage: NodeContext['storage'],
    private readonly key: string,
    private readonly embeddings: Embeddings,
  ) {}

  /** @param batch texts for which vectors are asked at once */
  async add(documents: TextDocument[], { clear, batch }: { clear: boolean; batch: number }): Promise<void> {
    const added: StoredDocument[] = [];
    for (let from = 0; from < documents.length; from += batch) {
      const part = documents.slice(from, from + batch);
      const vectors = await this.embeddings.documents(part.map(({ pageContent }) => pageContent));
      added.push(...part.map((document, index) => ({ ...document, vector: vectors[index] ?? [] })));
    }
    const former = clear ? [] : await this.#documents();
    await this.storage.put(this.key, { documents: [...former, ...added] });
  }

  /** The most similar documents, first. */
  async search(
    query: string,
    count: number,
    filter?: JsonObject,
  ): Promise<{ document: TextDocument; score: number }[]> {
    const vector = await this.embeddings.query(query);
    return (await this.#documents())
      .filter(({ metadata }) => matches(metadata, filter))
      .map(({ pageContent, metadata, vector: own }) => ({
        document: { pageContent, metadata },
        score: cosine(vector, own),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, count);
  }

  async #documents(): Promise<StoredDocument[]> {
    return ((await this.storage.get(this.key))?.documents ?? []) as StoredDocument[];
  }
}

/** The cosine of the angle between two vectors, 0 for a vector of zeros. */
export function cosine(a: number[], b: number[]): number {
  let product = 0;
  let [lengthA, lengthB] = [0, 0];
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index]!, b[index] ?? 0];
    product += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return lengthA === 0 || lengthB === 0 ? 0 : product / (Math.sqrt(lengthA) * Math.sqrt(lengthB));
}

function matches(metadata: JsonObject, filter: JsonObject | undefined): boolean {
  return (
    !isObject(filter) ||
    Object.entries(filter).every(([name, value]) => String(metadata[name]) === String(value))
  );
}
