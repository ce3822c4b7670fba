/** Questions about images, recordings, videos and documents. */

import { type ModelOperation, optionsOf, shown } from '../actions/operation.ts';
import { modelName } from '../chat-models/openai.ts';
import { candidatesOf, geminiServer, generateContent } from './gemini-server.ts';
import { uploadSources } from './uploaded-files.ts';

interface Medium {
  /** The parameter with the addresses of files. */
  addresses: string;
  /** The type of a download that states none. */
  fallback: string;
  /** The question. Not set: the node's parameter has it. */
  question?: string;
}

export const analyzeImage = analysis({ addresses: 'imageUrls', fallback: 'image/png' });
export const analyzeVideo = analysis({ addresses: 'videoUrls', fallback: 'video/mp4' });
export const analyzeAudio = analysis({ addresses: 'audioUrls', fallback: 'audio/mpeg' });
export const analyzeDocument = analysis({ addresses: 'documentUrls', fallback: 'application/pdf' });
export const transcribe = analysis({
  addresses: 'audioUrls',
  fallback: 'audio/mpeg',
  question: 'Generate a transcript of the speech.',
});

function analysis({ question, ...sources }: Medium): ModelOperation {
  return async (context, index) => {
    const server = await geminiServer(context);
    const { maxOutputTokens } = await optionsOf(context, index);
    const files = await uploadSources(context, server, index, sources);
    const text = question ?? String((await context.parameter('text', index, '')) ?? '');
    const answer = await generateContent(context, server, {
      model: await modelName(context, index, 'modelId'),
      contents: [{ role: 'user', parts: [...files.map((fileData) => ({ fileData })), { text }] }],
      ...(question === undefined && { generationConfig: { maxOutputTokens } }),
    });
    return shown(answer, candidatesOf(answer), context, index);
  };
}
