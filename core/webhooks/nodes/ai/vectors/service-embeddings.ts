/** Embeddings of services with formats of their own. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import { objectList } from '../../shared/object-list.ts';
import { modelName } from '../chat-models/openai.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';
import { googleServer, networkServer } from '../wire/network-server.ts';
import { byBatches, embeddingNode } from './embeddings.ts';

export const geminiEmbeddings: NodeType = embeddingNode(
  'embeddingsGoogleGemini',
  'googlePalmApi',
  async (context, itemIndex) => {
    const server = googleServer(context, await context.credential('googlePalmApi'));
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
    const server = await bearerServer(context, 'mistralCloudApi', 'https://api.mistral.ai/v1');
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
    const server = await bearerServer(context, 'cohereApi', 'https://api.cohere.ai');
    const model = await modelName(context, itemIndex, 'modelName');
    return byBatches(48, async (texts, isQuery) => {
      const body = { model, texts, input_type: isQuery ? 'search_query' : 'search_document' };
      const { embeddings } = await requestModel(context, server, { path: '/v1/embed', body }, readJson);
      return (Array.isArray(embeddings) ? embeddings : []) as number[][];
    });
  },
);

/** A server that takes the key of its credential as a bearer token. @param address when the credential has none */
async function bearerServer(context: SubNodeContext, type: string, address: string): Promise<ModelServer> {
  const { url, apiKey } = await context.credential(type);
  const headers = { authorization: `Bearer ${apiKey ?? ''}` };
  return networkServer(context, { baseUrl: String(url || address), headers });
}

const valuesOf = (value: unknown) => ((isObject(value) && value.values) || []) as number[];
