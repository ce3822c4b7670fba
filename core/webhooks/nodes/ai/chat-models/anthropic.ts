/** Anthropic's models. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { askAnthropic } from '../wire/anthropic-messages.ts';
import { networkServer } from '../wire/network-server.ts';
import { plainModel } from './plain-model.ts';

export const anthropicChat: NodeType = plainModel({
  name: 'lmChatAnthropic',
  label: 'Anthropic Chat Model',
  versions: [1, 1.1, 1.2, 1.3],
  credential: 'anthropicApi',
  defaultModel: 'claude-sonnet-4-5-20250929',
  ask: ({ context, credential, model, options }, request) => {
    const server = networkServer(context, {
      baseUrl: String(credential.url || 'https://api.anthropic.com'),
      headers: { 'x-api-key': String(credential.apiKey ?? ''), 'anthropic-version': '2023-06-01' },
    });
    const { temperature, topP, topK, maxTokensToSample } = options;
    const settings = {
      model,
      max_tokens: Number(maxTokensToSample ?? 4096),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && topP !== 1 && { top_p: topP }),
      ...(topK !== undefined && topK !== -1 && { top_k: topK }),
    };
    return askAnthropic(context, server, settings, request);
  },
});
