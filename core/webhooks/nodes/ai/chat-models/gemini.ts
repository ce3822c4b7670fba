/** Google's models. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { askGemini } from '../wire/gemini-content.ts';
import { plainModel } from './plain-model.ts';

export const geminiChat: NodeType = plainModel({
  name: 'lmChatGoogleGemini',
  label: 'Google Gemini Chat Model',
  credential: 'googlePalmApi',
  modelPath: 'modelName',
  defaultModel: 'models/gemini-2.5-flash',
  ask: ({ context, credential, model, options }, request) => {
    const server = {
      baseUrl: String(credential.host || 'https://generativelanguage.googleapis.com').replace(/\/$/, ''),
      headers: { 'x-goog-api-key': String(credential.apiKey ?? '') },
      errors: 'status' as const,
      fetch: (url: string, init: RequestInit) => context.network.fetch(url, init),
    };
    const { temperature, topP, topK, maxOutputTokens } = options;
    const settings = {
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(topK !== undefined && topK !== -1 && { topK }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    return askGemini(context, server, { model, settings }, request);
  },
});
