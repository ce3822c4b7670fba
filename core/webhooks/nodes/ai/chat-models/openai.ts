/** OpenAI's models, and servers that speak like OpenAI. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { ChatAnswer, ChatRequest } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { subNode } from '../describe.ts';
import type { ModelServer } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';
import { askOpenAiChat } from '../wire/openai-chat.ts';
import { askOpenAiResponses } from '../wire/openai-responses.ts';
import { recordedModel } from './recorded-model.ts';
import { withLocalModel } from './with-local-model.ts';

/** Models that count the tokens of their thoughts, too. */
const REASONING = /^(o\d|gpt-5)/;

export const openAiChat: NodeType = withLocalModel(
  subNode('lmChatOpenAi', {
    description: 'A chat model of OpenAI, or of a server with the same API.',
    supplies: 'ai_languageModel',
    credentials: [{ type: 'openAiApi', required: true }],
    async supply(context, itemIndex) {
      const model = await modelName(context, itemIndex);
      const options = (await context.parameter<JsonObject>('options', itemIndex, {})) ?? {};
      const server = await openAiServer(context, options);
      const isResponses =
        context.version >= 1.3 && (await context.parameter('responsesApiEnabled', itemIndex)) === true;
      const settings = { model, ...(isResponses ? responsesFields(options) : chatFields(options, model)) };
      const ask = (request: ChatRequest): Promise<ChatAnswer> =>
        isResponses
          ? askOpenAiResponses(context, server, settings, request)
          : askOpenAiChat(context, server, settings, request);
      const shown = { ...settings, ...(options.timeout !== undefined && { timeout: options.timeout }) };
      return recordedModel(context, shown, ask);
    },
  }),
);

/** The name of the model: a text, or the value of a resource locator. */
export async function modelName(context: NodeContext, itemIndex: number, path = 'model'): Promise<string> {
  const value = await context.parameter<unknown>(path, itemIndex, '');
  return String((isObject(value) ? value.value : value) ?? '');
}

/** The server of the credential. The option `baseURL` of the node wins. */
export async function openAiServer(context: NodeContext, options: JsonObject): Promise<ModelServer> {
  const credential = await context.credential('openAiApi');
  const address = String(options.baseURL || credential.url || 'https://api.openai.com/v1');
  const { organizationId, headerName, headerValue } = credential;
  return networkServer(context, {
    baseUrl: address,
    headers: {
      authorization: `Bearer ${credential.apiKey ?? ''}`,
      ...(organizationId ? { 'openai-organization': String(organizationId) } : {}),
      ...(headerName ? { [String(headerName)]: String(headerValue ?? '') } : {}),
    },
    ...(options.timeout !== undefined && { timeout: Number(options.timeout) }),
  });
}

/** The fields of a chat completion, from the options by n8n's names. */
export function chatFields(options: JsonObject, model: string): JsonObject {
  const limit = REASONING.test(model) ? 'max_completion_tokens' : 'max_tokens';
  return present({
    temperature: options.temperature,
    top_p: options.topP,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    [limit]: options.maxTokens === -1 ? undefined : options.maxTokens,
    response_format: options.responseFormat && { type: options.responseFormat },
    reasoning_effort: REASONING.test(model) ? options.reasoningEffort : undefined,
  });
}

function responsesFields(options: JsonObject): JsonObject {
  return present({
    temperature: options.temperature,
    top_p: options.topP,
    max_output_tokens: options.maxTokens === -1 ? undefined : options.maxTokens,
    reasoning: options.reasoningEffort && { effort: options.reasoningEffort },
    conversation: options.conversationId || undefined,
    prompt_cache_key: options.promptCacheKey || undefined,
    safety_identifier: options.safetyIdentifier || undefined,
    service_tier: options.serviceTier || undefined,
    top_logprobs: options.topLogprobs,
  });
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
