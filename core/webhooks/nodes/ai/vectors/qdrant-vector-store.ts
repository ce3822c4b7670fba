/** Documents in a collection of Qdrant. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';
import { chosenValue } from './chosen-value.ts';
import { QdrantCollection } from './qdrant-collection.ts';
import type { QdrantServer } from './qdrant-request.ts';
import { vectorStoreNode } from './vector-store-node.ts';

export const qdrantVectorStore: NodeType = vectorStoreNode({
  name: 'vectorStoreQdrant',
  description: 'Keeps documents in a collection of Qdrant, and finds the most similar ones.',
  credentials: [{ type: 'qdrantApi', required: true }],
  isPerItem: true,
  async withStores(context, work) {
    const server = await serverOf(context);
    return work(async (itemIndex, embeddings) => {
      const name = ((await chosenValue(context, 'qdrantCollection', itemIndex)) ?? '').trim();
      if (name === '') throw new NodeError('No Qdrant collection is chosen', { itemIndex });
      const config = await creationOf(context, itemIndex);
      const collection = new QdrantCollection(server, name, {
        content: await keyOf(context, 'contentPayloadKey', itemIndex, 'content'),
        metadata: await keyOf(context, 'metadataPayloadKey', itemIndex, 'metadata'),
      });
      await collection.ensure(async () => {
        // n8n measures the vectors of the model in the same way.
        const size = async () => (await embeddings.query('test')).length;
        return config ?? { vectors: { size: await size(), distance: 'Cosine' } };
      });
      return collection;
    });
  },
});

/** @throws NodeError for an address that is not one of HTTP */
async function serverOf(context: NodeContext): Promise<QdrantServer> {
  const { qdrantUrl, apiKey } = await context.credential('qdrantApi');
  const address = String(qdrantUrl ?? '').trim();
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new NodeError(`The Qdrant URL "${address}" of the credential is not valid`, {
      description: 'It begins with http:// or https://, such as http://localhost:6333.',
    });
  }
  return { origin: url.origin, apiKey: String(apiKey ?? ''), ...contextParts(context) };
}

function contextParts({ network, signal }: NodeContext): Pick<QdrantServer, 'fetch' | 'signal'> {
  return { signal, fetch: (url, init) => network.fetch(url, init) };
}

async function keyOf(
  context: NodeContext,
  name: string,
  itemIndex: number,
  fallback: string,
): Promise<string> {
  return String((await context.parameter(`options.${name}`, itemIndex, fallback)) || fallback);
}

/** How a missing collection is created. Undefined: by the size of the vectors. @throws NodeError */
async function creationOf(context: NodeContext, itemIndex: number): Promise<JsonObject | undefined> {
  const stored = await context.parameter<unknown>('options.collectionConfig', itemIndex, undefined);
  if (stored === undefined || stored === '') return undefined;
  const message = 'The parameter "Collection Config" must be a JSON object';
  const config = parseJsonParameter(stored, message, { itemIndex });
  if (!isObject(config)) throw new NodeError(message, { itemIndex });
  return config;
}
