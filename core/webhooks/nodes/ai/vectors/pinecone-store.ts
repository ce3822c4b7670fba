/** Documents in an index of Pinecone: vectors with the text among their metadata. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { ScoredDocument } from '../../../node-api/sub-nodes.ts';
import { objectList } from '../../shared/object-list.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';
import { chosenValue } from './chosen-value.ts';
import type { DocumentStore, EmbeddedDocument } from './document-store.ts';
import { vectorStoreNode } from './vector-store-node.ts';

const ADDRESS = 'https://api.pinecone.io';
/** Vectors of one request: more could exceed 2 MB. */
const BATCH = 100;
/** The field of a vector's metadata that holds the text, as LangChain has it. */
const TEXT = 'text';

export const pineconeVectorStore: NodeType = vectorStoreNode({
  name: 'vectorStorePinecone',
  description: 'Keeps documents in an index of Pinecone, and finds the most similar ones.',
  credentials: [{ type: 'pineconeApi', required: true }],
  isPerItem: true,
  async withStores(context, work) {
    const server = await serverOf(context);
    const hosts = new Map<string, Promise<string>>();
    const cleared = new Set<string>();
    return work(async (itemIndex) => {
      const name = ((await chosenValue(context, 'pineconeIndex', itemIndex)) ?? '').trim();
      if (name === '') throw new NodeError('No Pinecone index is chosen', { itemIndex });
      if (!hosts.has(name)) hosts.set(name, hostOf(context, server, name));
      const space = String((await context.parameter('options.pineconeNamespace', itemIndex, '')) ?? '');
      const index = new PineconeIndex(context, { ...server, baseUrl: await hosts.get(name)! }, space);
      const isCleared = (await context.parameter('options.clearNamespace', itemIndex, false)) === true;
      if (isCleared && !cleared.has(`${name} ${space}`)) {
        cleared.add(`${name} ${space}`);
        await index.clear();
      }
      return index;
    });
  },
});

async function serverOf(context: NodeContext): Promise<ModelServer> {
  const { apiKey } = await context.credential('pineconeApi');
  return networkServer(context, {
    baseUrl: ADDRESS,
    headers: { 'api-key': String(apiKey ?? ''), 'x-pinecone-api-version': '2025-04' },
  });
}

/** Each index has a host of its own. */
async function hostOf(context: NodeContext, server: ModelServer, name: string): Promise<string> {
  const path = `/indexes/${encodeURIComponent(name)}`;
  const { host } = await requestModel(context, server, { path, method: 'GET' }, readJson);
  if (!host) throw new NodeError(`Pinecone does not say where the index "${name}" is`);
  return /^https?:/.test(String(host)) ? String(host) : `https://${host}`;
}

class PineconeIndex implements DocumentStore {
  constructor(
    private readonly context: NodeContext,
    private readonly server: ModelServer,
    private readonly namespace: string,
  ) {}

  async clear(): Promise<void> {
    await this.#ask('/vectors/delete', { deleteAll: true });
  }

  async add(batches: AsyncIterable<EmbeddedDocument[]>): Promise<void> {
    for await (const batch of batches) {
      const vectors = batch.map(({ pageContent, metadata, vector }) => ({
        id: crypto.randomUUID(),
        values: vector,
        metadata: { ...flatMetadata(metadata), [TEXT]: pageContent },
      }));
      for (let from = 0; from < vectors.length; from += BATCH)
        await this.#ask('/vectors/upsert', { vectors: vectors.slice(from, from + BATCH) });
    }
  }

  async search(vector: number[], count: number, filter?: JsonObject): Promise<ScoredDocument[]> {
    const body = { vector, topK: count, includeMetadata: true, ...(filter && { filter }) };
    const { matches } = await this.#ask('/query', body);
    return objectList(matches).map(({ id, score, metadata: stored }) => {
      const { [TEXT]: text, ...metadata } = isObject(stored) ? stored : {};
      return {
        document: { pageContent: String(text ?? ''), metadata, id: String(id) },
        score: Number(score),
      };
    });
  }

  #ask(path: string, body: JsonObject): Promise<JsonObject> {
    const named = { ...body, ...(this.namespace && { namespace: this.namespace }) };
    return requestModel(this.context, this.server, { path, body: named }, readJson);
  }
}

/** Pinecone stores texts, numbers, switches and lists of texts: `{ a: { b: 1 } }` becomes `{ 'a.b': 1 }`. */
function flatMetadata(metadata: JsonObject, prefix = ''): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([name, value]): [string, unknown][] => {
      const path = prefix + name;
      if (value === null || value === undefined) return [];
      if (isObject(value)) return Object.entries(flatMetadata(value, `${path}.`));
      if (!Array.isArray(value)) return [[path, value]];
      const isTexts = value.every((part) => typeof part === 'string');
      return isTexts ? [[path, value]] : Object.entries(flatMetadata({ ...value }, `${path}.`));
    }),
  );
}
