/** A collection of Qdrant: its documents are points with a payload. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { ScoredDocument } from '../../../node-api/sub-nodes.ts';
import type { DocumentStore, EmbeddedDocument } from './document-store.ts';
import { askQdrant, type QdrantServer } from './qdrant-request.ts';

/** The fields of a point's payload. */
interface PayloadKeys {
  content: string;
  metadata: string;
}

/** Documents in the form of LangChain. */
export class QdrantCollection implements DocumentStore {
  readonly #path: string;

  constructor(
    private readonly server: QdrantServer,
    private readonly name: string,
    private readonly keys: PayloadKeys,
  ) {
    this.#path = `/collections/${encodeURIComponent(name)}`;
  }

  /** Creates the collection unless it is there. @param config as `PUT /collections/NAME` takes it */
  async ensure(config: () => Promise<JsonObject>): Promise<void> {
    const { collections } = await this.#ask('GET', '/collections');
    const names = (Array.isArray(collections) ? collections : []).map(
      (entry) => isObject(entry) && entry.name,
    );
    if (names.includes(this.name)) return;
    await this.#ask('PUT', this.#path, await config());
  }

  async add(batches: AsyncIterable<EmbeddedDocument[]>): Promise<void> {
    const { content, metadata: facts } = this.keys;
    for await (const batch of batches) {
      const points = batch.map(({ pageContent, metadata, vector }) => ({
        id: crypto.randomUUID(),
        vector,
        payload: { [content]: pageContent, [facts]: metadata },
      }));
      await this.#ask('PUT', `${this.#path}/points?wait=true`, { points });
    }
  }

  /** @param filter in the language of Qdrant: `must`, `should`, `must_not` */
  async search(vector: number[], count: number, filter?: JsonObject): Promise<ScoredDocument[]> {
    const { content, metadata } = this.keys;
    const body = {
      query: vector,
      limit: count,
      ...(filter && { filter }),
      with_payload: [metadata, content],
      with_vector: false,
    };
    const { points } = await this.#ask('POST', `${this.#path}/points/query`, body);
    return (Array.isArray(points) ? points : []).filter(isObject).map(({ id, payload, score }) => {
      const fields = isObject(payload) ? payload : {};
      const facts = fields[metadata];
      return {
        document: {
          pageContent: String(fields[content] ?? ''),
          metadata: isObject(facts) ? facts : {},
          id: typeof id === 'number' ? id : String(id),
        },
        score: Number(score),
      };
    });
  }

  /** The result of a request. */
  async #ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const result = await askQdrant(this.server, { method, path, ...(body && { body }) });
    return isObject(result) ? result : {};
  }
}
