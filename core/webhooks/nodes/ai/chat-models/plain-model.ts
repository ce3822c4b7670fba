/** Model nodes whose parameters are a name and common options. */
import type { JsonObject, Parameter } from '#core/workflow-format';
import type { ChatAnswer, ChatRequest } from '../../../node-api/chat.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import { number, options as optionsOf, text } from '../../shared/parameters.ts';
import { refuse } from '../describe.ts';
import { modelName } from './openai.ts';
import { recordedModel } from './recorded-model.ts';
import { withLocalModel } from './with-local-model.ts';

interface PlainModel {
  /** `lmChatGroq` */
  name: string;
  label: string;
  versions?: number[];
  credential: string;
  /** The parameter with the name of the model. Default `model`. */
  modelPath?: string;
  defaultModel: string;
  fields?: Parameter[];
  ask(parts: PlainParts, request: ChatRequest): Promise<ChatAnswer>;
}

/** The parts of a question to a model. */
export interface PlainParts {
  context: SubNodeContext;
  credential: JsonObject;
  model: string;
  options: JsonObject;
}

export function plainModel(node: PlainModel): NodeType {
  const { modelPath = 'model' } = node;
  return withLocalModel({
    name: `@n8n/n8n-nodes-langchain.${node.name}`,
    label: node.label,
    description: `A chat model: ${node.label}.`,
    group: 'model',
    versions: node.versions ?? [1],
    inputs: 0,
    outputs: [],
    supplies: 'ai_languageModel',
    execute: refuse,
    credentials: [{ type: node.credential, required: true }],
    parameters: [
      text(modelPath, 'Model', { default: node.defaultModel }),
      optionsOf({
        fields: [
          number('temperature', 'Sampling Temperature', 0.7, { minimum: 0, maximum: 2 }),
          number('maxTokens', 'Maximum Number of Tokens', -1),
          number('maxTokensToSample', 'Maximum Number of Tokens', 4096),
          number('maxOutputTokens', 'Maximum Number of Tokens', 2048),
          number('topP', 'Top P', 1, { minimum: 0, maximum: 1 }),
          number('topK', 'Top K', -1),
          number('timeout', 'Timeout', 60000),
          ...(node.fields ?? []),
        ],
      }),
    ],
    async supply(context, itemIndex) {
      const credential = await context.credential(node.credential);
      const model = await modelName(context, itemIndex, modelPath);
      const options = (await context.parameter<JsonObject>('options', itemIndex, {})) ?? {};
      const parts = { context, credential, model, options };
      return recordedModel(context, { model, ...options }, (request) => node.ask(parts, request));
    },
  });
}
