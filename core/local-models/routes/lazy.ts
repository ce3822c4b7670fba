/** Handlers that the first visit of the page does not need. Their code is loaded by the first request for one of them. */
export { messages } from '../dialects/anthropic/messages.ts';
export { chatCompletions } from '../dialects/openai/chat-completions.ts';
export { completions } from '../dialects/openai/completions.ts';
export { openaiEmbeddings } from '../dialects/openai/embeddings.ts';
export { transcriptions, translations } from '../dialects/openai/hearing/transcriptions.ts';
export { responses } from '../dialects/openai/responses/responses.ts';
export { speech } from '../dialects/openai/speaking/speech.ts';
export { createModel } from './create.ts';
export { legacyEmbeddings, ollamaEmbed } from './embed.ts';
