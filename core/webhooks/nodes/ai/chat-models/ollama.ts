/** Models of an Ollama server. */
import type { JsonObject } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import { subNode } from '../describe.ts';
import type { ModelServer } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';
import { askOllama } from '../wire/ollama-chat.ts';
import { modelName } from './openai.ts';
import { recordedModel } from './recorded-model.ts';
import { withLocalModel } from './with-local-model.ts';

/** The names of Ollama's options by those of n8n. */
const OPTIONS: Record<string, string> = {
  temperature: 'temperature',
  topK: 'top_k',
  topP: 'top_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  repeatPenalty: 'repeat_penalty',
  penalizeNewline: 'penalize_newline',
  lowVram: 'low_vram',
  mainGpu: 'main_gpu',
  numBatch: 'num_batch',
  numCtx: 'num_ctx',
  numGpu: 'num_gpu',
  numPredict: 'num_predict',
  numThread: 'num_thread',
  useMLock: 'use_mlock',
  useMMap: 'use_mmap',
  vocabOnly: 'vocab_only',
};

export const ollamaChat: NodeType = withLocalModel(
  ollamaNode('lmChatOllama', 'A chat model of an Ollama server.'),
);
export const ollamaCompletion: NodeType = withLocalModel(
  ollamaNode('lmOllama', 'A language model of an Ollama server.'),
);

function ollamaNode(name: string, description: string): NodeType {
  return subNode(name, {
    description,
    supplies: 'ai_languageModel',
    credentials: [{ type: 'ollamaApi', required: true }],
    async supply(context, itemIndex) {
      const options = (await context.parameter<JsonObject>('options', itemIndex, {})) ?? {};
      const settings = {
        model: await modelName(context, itemIndex),
        ...(options.format === 'json' && { format: 'json' }),
        ...(options.keepAlive !== undefined && { keep_alive: options.keepAlive }),
        ...(options.think !== undefined && { think: options.think }),
        options: ollamaOptions(options),
      };
      const server = await ollamaServer(context);
      return recordedModel(context, settings, (request) => askOllama(context, server, settings, request));
    },
  });
}

function ollamaOptions(options: JsonObject): JsonObject {
  const named = Object.entries(OPTIONS).filter(([name]) => options[name] !== undefined);
  return Object.fromEntries(named.map(([name, own]) => [own, options[name]]));
}

export async function ollamaServer(context: SubNodeContext): Promise<ModelServer> {
  const { baseUrl, apiKey } = await context.credential('ollamaApi');
  return networkServer(context, {
    baseUrl: String(baseUrl || 'http://localhost:11434'),
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
    errors: 'plain',
  });
}
