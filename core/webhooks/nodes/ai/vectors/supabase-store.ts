/** Documents in a table of Supabase, which a function of the database searches. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { ScoredDocument } from '../../../node-api/sub-nodes.ts';
import { objectList } from '../../shared/object-list.ts';
import { ModelError, type ModelServer, requestModel } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';
import { chosenValue } from './chosen-value.ts';
import type { DocumentStore, EmbeddedDocument } from './document-store.ts';
import { vectorStoreNode } from './vector-store-node.ts';

/** Rows of one request, as in LangChain. */
const BATCH = 500;
const FUNCTION = 'match_documents';

export const supabaseVectorStore: NodeType = vectorStoreNode({
  name: 'vectorStoreSupabase',
  description: 'Keeps documents in a table of Supabase, and finds the most similar ones.',
  credentials: [{ type: 'supabaseApi', required: true }],
  isPerItem: true,
  async withStores(context, work) {
    const server = await serverOf(context);
    return work(async (itemIndex) => {
      const table = ((await chosenValue(context, 'tableName', itemIndex)) ?? '').trim();
      if (table === '') throw new NodeError('No table of Supabase is chosen', { itemIndex });
      const search = await context.parameter('options.queryName', itemIndex, FUNCTION);
      return new SupabaseTable(context, server, { table, search: String(search || FUNCTION) });
    });
  },
});

async function serverOf(context: NodeContext): Promise<ModelServer> {
  const { host, serviceRole } = await context.credential('supabaseApi');
  const address = String(host ?? '').replace(/\/+$/, '');
  if (!URL.canParse(address)) {
    throw new NodeError(`The host "${address}" of the Supabase credential is not an address`, {
      description: 'It looks like https://your-project.supabase.co.',
    });
  }
  const key = String(serviceRole ?? '');
  return networkServer(context, {
    baseUrl: `${address}/rest/v1`,
    headers: { apikey: key, authorization: `Bearer ${key}` },
  });
}

class SupabaseTable implements DocumentStore {
  constructor(
    private readonly context: NodeContext,
    private readonly server: ModelServer,
    private readonly names: { table: string; search: string },
  ) {}

  async add(batches: AsyncIterable<EmbeddedDocument[]>): Promise<void> {
    const server = { ...this.server, headers: { ...this.server.headers, prefer: 'return=minimal' } };
    const path = `/${encodeURIComponent(this.names.table)}`;
    for await (const batch of batches) {
      const rows = batch.map(({ pageContent, metadata, vector }) => ({
        content: pageContent,
        embedding: vector,
        metadata,
      }));
      for (let from = 0; from < rows.length; from += BATCH) {
        const body = rows.slice(from, from + BATCH);
        await requestModel(this.context, server, { path, body }, (response) => response.text());
      }
    }
  }

  /** @param filter fields of the metadata with their values */
  async search(vector: number[], count: number, filter?: JsonObject): Promise<ScoredDocument[]> {
    const path = `/rpc/${encodeURIComponent(this.names.search)}?limit=${count}`;
    const body = { query_embedding: vector, ...(filter && { filter }) };
    const rows = await requestModel(this.context, this.server, { path, body }, readRows);
    return rows.map(({ id, content, metadata, similarity }) => ({
      document: {
        pageContent: String(content ?? ''),
        metadata: isObject(metadata) ? metadata : {},
        ...(id !== undefined && { id: typeof id === 'number' ? id : String(id) }),
      },
      score: Number(similarity),
    }));
  }
}

/** @throws ModelError for anything but a list: the function is not one that searches documents */
async function readRows(response: Response): Promise<JsonObject[]> {
  const value: unknown = JSON.parse(await response.text());
  if (Array.isArray(value)) return objectList(value);
  throw new ModelError('The function of Supabase does not answer with rows', {
    description: 'Its rows need the columns id, content, metadata and similarity.',
  });
}
