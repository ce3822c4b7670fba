/** The nodes that turn texts into vectors. */
import { isObject } from '#core/base';
import { decodeBase64 } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { Embeddings } from '../../../node-api/sub-nodes.ts';
import { localModelName, localServer, usesLocalModel } from '../chat-models/local-model.ts';
import { ollamaServer } from '../chat-models/ollama.ts';
import { modelName, openAiServer } from '../chat-models/openai.ts';
import { withLocalChoice } from '../chat-models/with-local-model.ts';
import { subNode } from '../describe.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';

/** The vectors of documents, or the one of a query. */
export type Embed = (input: string[] | string) => Promise<number[][]>;

export const openAiEmbeddings: NodeType = embeddingNode(
  'embeddingsOpenAi',
  'openAiApi',
  async (context, itemIndex) => {
    const options = (await context.parameter<JsonObject>('options', itemIndex, {})) ?? {};
    const server = await openAiServer(context, options);
    const body = {
      model: await modelName(context, itemIndex),
      ...(options.dimensions !== undefined && { dimensions: options.dimensions }),
      encoding_format: 'base64',
    };
    const size = Math.max(1, Number(options.batchSize ?? 512) || 512);
    const clean = (text: string) => (options.stripNewLines === false ? text : text.replaceAll('\n', ' '));
    const ask = (input: string[] | string) =>
      requestModel(context, server, { path: '/embeddings', body: { ...body, input } }, async (response) =>
        readVectors(await readJson(response)),
      );
    return byBatches(size, (texts, isQuery) => {
      const input = texts.map(clean);
      return ask(isQuery ? input[0]! : input);
    });
  },
);

export const ollamaEmbeddings: NodeType = embeddingNode(
  'embeddingsOllama',
  'ollamaApi',
  async (context, itemIndex) =>
    ollamaVectors(context, await ollamaServer(context), await modelName(context, itemIndex)),
);

/** The node of embeddings that a service makes, or a model of this server. */
export function embeddingNode(
  name: string,
  credential: string,
  open: (context: SubNodeContext, itemIndex: number) => Promise<Embed>,
): NodeType {
  return withLocalChoice(
    subNode(name, {
      description: 'Turns texts into vectors, so that similar texts can be found.',
      supplies: 'ai_embedding',
      credentials: [{ type: credential, required: true }],
      async supply(context, itemIndex): Promise<Embeddings> {
        const embed = usesLocalModel(context)
          ? ollamaVectors(
              context,
              localServer(context),
              await localModelName(context, 'embedding', itemIndex),
            )
          : await open(context, itemIndex);
        return recorded(context, embed);
      },
    }),
  );
}

function recorded(context: SubNodeContext, embed: Embed): Embeddings {
  const use = <T>(input: JsonObject, work: () => Promise<T>) =>
    context.recordUse('ai_embedding', [{ json: input }], async () => {
      const value = await work();
      return { value, output: [{ json: { response: value } }] };
    });
  return {
    node: context.node.name,
    documents: (documents) => use({ documents }, () => embed(documents)),
    query: (query) => use({ query }, async () => (await embed(query))[0] ?? []),
  };
}

function ollamaVectors(context: SubNodeContext, server: ModelServer, model: string): Embed {
  return (input) => {
    const body = { model, input: [input].flat(), truncate: false };
    return requestModel(context, server, { path: '/api/embed', body }, async (response) => {
      const { embeddings } = await readJson(response);
      return (Array.isArray(embeddings) ? embeddings : []) as number[][];
    });
  };
}

/** Vectors as lists, or as 32-bit numbers in base64. */
function readVectors({ data }: Record<string, unknown>): number[][] {
  return (Array.isArray(data) ? data : []).map((entry) => {
    const embedding: unknown = isObject(entry) ? entry.embedding : undefined;
    if (typeof embedding !== 'string') return (embedding ?? []) as number[];
    const bytes = decodeBase64(embedding);
    return [...new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4))];
  });
}

/** Embeds documents in batches, and a query alone. @param size the most documents of a request */
export function byBatches(
  size: number,
  ask: (texts: string[], isQuery: boolean) => Promise<number[][]>,
): Embed {
  return async (input) => {
    if (typeof input === 'string') return ask([input], true);
    const vectors: number[][] = [];
    for (let from = 0; from < input.length; from += size)
      vectors.push(...(await ask(input.slice(from, from + size), false)));
    return vectors;
  };
}
