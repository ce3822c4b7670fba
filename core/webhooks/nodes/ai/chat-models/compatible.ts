/** Models of services that speak like OpenAI. */
import type { NodeType } from '../../../node-api/node-type.ts';
import type { ModelServer } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';
import { askOpenAiChat } from '../wire/openai-chat.ts';
import { chatFields } from './openai.ts';
import { type PlainParts, plainModel } from './plain-model.ts';

const SERVICES = [
  ['lmChatGroq', 'Groq Chat Model', 'groqApi', 'https://api.groq.com/openai/v1', 'llama3-8b-8192'],
  [
    'lmChatOpenRouter',
    'OpenRouter Chat Model',
    'openRouterApi',
    'https://openrouter.ai/api/v1',
    'openai/gpt-4.1-mini',
  ],
  [
    'lmChatMistralCloud',
    'Mistral Cloud Chat Model',
    'mistralCloudApi',
    'https://api.mistral.ai/v1',
    'mistral-small',
  ],
  ['lmChatDeepSeek', 'DeepSeek Chat Model', 'deepSeekApi', 'https://api.deepseek.com', 'deepseek-chat'],
  ['lmChatXAiGrok', 'xAI Grok Chat Model', 'xAiApi', 'https://api.x.ai/v1', 'grok-2-vision-1212'],
] as const;

const services: NodeType[] = SERVICES.map(([name, label, credential, address, defaultModel]) =>
  plainModel({
    name,
    label,
    credential,
    defaultModel,
    ask: (parts, request) =>
      askOpenAiChat(
        parts.context,
        bearerServer(parts, String(parts.credential.url || address)),
        { model: parts.model, ...chatFields(parts.options, '') },
        request,
      ),
  }),
);

const azure: NodeType = plainModel({
  name: 'lmChatAzureOpenAi',
  label: 'Azure OpenAI Chat Model',
  credential: 'azureOpenAiApi',
  defaultModel: '',
  ask: (parts, request) => {
    const { apiKey, resourceName, endpoint, apiVersion } = parts.credential;
    const address = String(endpoint || `https://${resourceName}.openai.azure.com`).replace(/\/$/, '');
    const server = {
      ...bearerServer(parts, `${address}/openai/deployments/${encodeURIComponent(parts.model)}`),
      headers: { 'api-key': String(apiKey ?? '') },
    };
    const path = `/chat/completions?api-version=${encodeURIComponent(String(apiVersion ?? ''))}`;
    return askOpenAiChat(parts.context, server, { ...chatFields(parts.options, '') }, request, path);
  },
});

export const compatibleModels: NodeType[] = [...services, azure];

function bearerServer({ context, credential, options }: PlainParts, address: string): ModelServer {
  return networkServer(context, {
    baseUrl: address,
    headers: { authorization: `Bearer ${credential.apiKey ?? ''}` },
    ...(options.timeout !== undefined && { timeout: Number(options.timeout) }),
  });
}
