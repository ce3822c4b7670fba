/** Google's models. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { askGemini } from '../wire/gemini-content.ts';
import { googleServer } from '../wire/network-server.ts';
import { plainModel } from './plain-model.ts';

export const geminiChat: NodeType = plainModel({
  name: 'lmChatGoogleGemini',
  label: 'Google Gemini Chat Model',
  credential: 'googlePalmApi',
  modelPath: 'modelName',
  defaultModel: 'models/gemini-2.5-flash',
  ask: ({ context, credential, model, options }, request) => {
    const server = googleServer(context, credential);
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
