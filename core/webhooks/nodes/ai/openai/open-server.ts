/** The server that a node asks: OpenAI, one with the same API, or this one. */
import type { ModelCapability } from '#core/api-client';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { localModelName, localServer, usesLocalModel } from '../chat-models/local-model.ts';
import { modelName, openAiServer } from '../chat-models/openai.ts';
import type { ModelServer } from '../wire/model-request.ts';

interface OpenServerOptions {
  /** The ability that the local model needs. Not set: an image model, which the server chooses. */
  capability?: ModelCapability;
  /** The model of OpenAI. Not set: the node's parameter names it. */
  model?: string;
}

/** The server and the model of an item. `model` is empty when the server chooses. */
export async function openServer(
  context: NodeContext,
  index: number,
  { capability, model }: OpenServerOptions,
): Promise<{ server: ModelServer; model: string }> {
  if (usesLocalModel(context)) {
    const own = String((await context.parameter('localModelName', index, '')) ?? '').trim();
    return {
      server: { ...localServer(context), baseUrl: '/v1' },
      model: capability ? await localModelName(context, capability, index) : own,
    };
  }
  const server = await openAiServer(context, {});
  return { server, model: model ?? (await modelName(context, index, 'modelId')) };
}
