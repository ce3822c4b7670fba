/** Texts with their vectors, kept under a key for all workflows. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { ScoredDocument } from '../../../node-api/sub-nodes.ts';
import type { DocumentStore, EmbeddedDocument } from './document-store.ts';

/** The documents of one key. */
export class MemoryStore implements DocumentStore {
  constructor(
    private readonly storage: NodeContext['storage'],
    private readonly key: string,
    private readonly options: { clear: boolean },
  ) {}

  /** All documents are stored, or none. */
  async add(batches: AsyncIterable<EmbeddedDocument[]>): Promise<void> {
    const added: EmbeddedDocument[] = [];
    for await (const batch of batches) added.push(...batch);
    const former = this.options.clear ? [] : await this.#documents();
    await this.storage.put(this.key, { documents: [...former, ...added] });
  }

  /** @throws NodeError if every document has a vector of another length */
  async search(vector: number[], count: number, filter?: JsonObject): Promise<ScoredDocument[]> {
    const all = await this.#documents();
    const comparable = all.filter((document) => document.vector.length === vector.length);
    if (all.length > 0 && comparable.length === 0) {
      throw new NodeError(
        `The store has vectors of ${all[0]!.vector.length} numbers, and the embedding model made one of ${vector.length}`,
        { description: 'Connect the embedding model that filled the store, or clear it and insert again.' },
      );
    }
    return comparable
      .filter(({ metadata }) => matches(metadata, filter))
      .map(({ pageContent, metadata, vector: own }) => ({
        document: { pageContent, metadata },
        score: cosine(vector, own),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, count);
  }

  async #documents(): Promise<EmbeddedDocument[]> {
    return ((await this.storage.get(this.key))?.documents ?? []) as EmbeddedDocument[];
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
