/** The choice "Use the Local Model" of each node with a model of a service. */
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import { askOllama } from '../wire/ollama-chat.ts';
import { localModelName, localParameters, localServer, usesLocalModel } from './local-model.ts';
import { recordedModel } from './recorded-model.ts';

/** The node with this choice. Its credentials are needed only without it. */
export function withLocalModel(type: NodeType): NodeType {
  return {
    ...withLocalChoice(type),
    supply: async (context, itemIndex) =>
      usesLocalModel(context) ? localModel(context, itemIndex) : type.supply!(context, itemIndex),
  };
}

/** The node with the parameters of this choice. */
export function withLocalChoice(type: NodeType): NodeType {
  return {
    ...type,
    parameters: [...localParameters, ...type.parameters],
    ...(type.credentials && {
      credentials: type.credentials.map((use) => ({
        ...use,
        show: { ...use.show, useLocalModel: [false] },
      })),
    }),
  };
}

async function localModel(context: SubNodeContext, itemIndex: number) {
  const model = await localModelName(context, 'completion', itemIndex);
  const options = await context.parameter<{ temperature?: unknown; maxTokens?: unknown }>(
    'options',
    itemIndex,
    {},
  );
  const { temperature, maxTokens } = options ?? {};
  const settings = {
    model,
    options: {
      ...(temperature !== undefined && { temperature: Number(temperature) }),
      ...(maxTokens !== undefined && maxTokens !== -1 && { num_predict: Number(maxTokens) }),
    },
  };
  const server = localServer(context);
  return recordedModel(context, settings, (request) => askOllama(context, server, settings, request));
}
