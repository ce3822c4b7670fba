/** Embeddings of services with formats of their own. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import { objectList } from '../../shared/object-list.ts';
import { modelName } from '../chat-models/openai.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';
import { type Embed, embeddingNode } from './embeddings.ts';

export const geminiEmbeddings: NodeType = embeddingNode(
  'embeddingsGoogleGemini',
  'googlePalmApi',
  async (context, itemIndex) => {
    const server = await serverOf(context, {
      credential: 'googlePalmApi',
      addressField: 'host',
      address: 'https://generativelanguage.googleapis.com',
      headers: (key) => ({ 'x-goog-api-key': key }),
    });
    const name = await modelName(context, itemIndex, 'modelName');
    const model = name.startsWith('models/') ? name : `models/${name}`;
    const contentOf = (text: string) => ({
      role: 'user',
      parts: [{ text: text.replaceAll('\n', ' ') }],
    });
    return byBatches(100, async (texts, isQuery) => {
      if (isQuery) {
        const request = { path: `/v1beta/${model}:embedContent`, body: { content: contentOf(texts[0]!) } };
        const { embedding } = await requestModel(context, server, request, readJson);
        return [valuesOf(embedding)];
      }
      const requests = texts.map((text) => ({ model, content: contentOf(text) }));
      const request = { path: `/v1beta/${model}:batchEmbedContents`, body: { requests } };
      const { embeddings } = await requestModel(context, server, request, readJson);
      return objectList(embeddings).map(valuesOf);
    });
  },
);

export const mistralEmbeddings: NodeType = embeddingNode(
  'embeddingsMistralCloud',
  'mistralCloudApi',
  async (context, itemIndex) => {
    const server = await serverOf(context, {
      credential: 'mistralCloudApi',
      addressField: 'url',
      address: 'https://api.mistral.ai/v1',
      headers: bearer,
    });
    const model = await modelName(context, itemIndex);
    const { batchSize, stripNewLines = true } =
      (await context.parameter<JsonObject>('options', itemIndex, {})) ?? {};
    return byBatches(Number(batchSize) || 512, async (texts) => {
      const input = stripNewLines ? texts.map((text) => text.replaceAll('\n', ' ')) : texts;
      const body = { model, input, encoding_format: 'float' };
      const { data } = await requestModel(context, server, { path: '/embeddings', body }, readJson);
      return objectList(data).map(({ embedding }) => (embedding ?? []) as number[]);
    });
  },
);

export const cohereEmbeddings: NodeType = embeddingNode(
  'embeddingsCohere',
  'cohereApi',
  async (context, itemIndex) => {
    const server = await serverOf(context, {
      credential: 'cohereApi',
      addressField: 'url',
      address: 'https://api.cohere.ai',
      headers: bearer,
    });
    const model = await modelName(context, itemIndex, 'modelName');
    return byBatches(48, async (texts, isQuery) => {
      const body = { model, texts, input_type: isQuery ? 'search_query' : 'search_document' };
      const { embeddings } = await requestModel(context, server, { path: '/v1/embed', body }, readJson);
      return (Array.isArray(embeddings) ? embeddings : []) as number[][];
    });
  },
);

interface Service {
  credential: string;
  /** The field of the credential with the address. */
  addressField: string;
  /** The usual address. */
  address: string;
  headers(key: string): Record<string, string>;
}

async function serverOf(
  context: SubNodeContext,
  { credential, addressField, address, headers }: Service,
): Promise<ModelServer> {
  const data = await context.credential(credential);
  return {
    baseUrl: String(data[addressField] || address).replace(/\/$/, ''),
    headers: headers(String(data.apiKey ?? '')),
    errors: 'status',
    fetch: (url, init) => context.network.fetch(url, init),
  };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const valuesOf = (value: unknown) => ((isObject(value) && value.values) || []) as number[];

/** Embeds documents in batches, and a query alone. */
function byBatches(size: number, ask: (texts: string[], isQuery: boolean) => Promise<number[][]>): Embed {
  return async (input) => {
    if (typeof input === 'string') return ask([input], true);
    const vectors: number[][] = [];
    for (let from = 0; from < input.length; from += size)
      vectors.push(...(await ask(input.slice(from, from + size), false)));
    return vectors;
  };
}
