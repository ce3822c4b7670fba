import type { NodeContext } from '../kernel/node-context.ts';
import { askLines, modelFor } from './ask-models.ts';

export interface TextRequest {
  model: string;
  instructions: string;
  text: string;
  /** Base64 of PNG files. */
  images?: string[];
  seed: bigint;
  temperature: number;
  /** Tokens after which the answer ends. */
  maxTokens: number;
}

interface ChatLine {
  message?: { content?: string };
}

/** Milliseconds between two updates of the text that the node shows. */
const UPDATE_INTERVAL = 250;

/**
 * The answer of a language model without its thinking. Shows the growing text on the node. Rejects after an interrupt,
 * which also stops the model.
 */
export async function chatAnswer(request: TextRequest, context: NodeContext): Promise<string> {
  const { instructions, text, images, seed, temperature, maxTokens } = request;
  const model = await modelFor(request.model, images ? 'vision' : 'completion', context);
  const body = {
    model,
    messages: [
      ...(instructions.trim() !== '' ? [{ role: 'system', content: instructions }] : []),
      { role: 'user', content: text, ...(images && { images }) },
    ],
    // Language models take seeds of 31 bits.
    options: { seed: Number(seed % 2147483647n), temperature, num_predict: maxTokens },
  };
  let answer = '';
  let shownAt = performance.now();
  let tokens = 0;
  for await (const { message } of askLines<ChatLine>('/api/chat', body, context)) {
    answer += message?.content ?? '';
    tokens = Math.min(tokens + 1, maxTokens);
    if (performance.now() - shownAt < UPDATE_INTERVAL) continue;
    shownAt = performance.now();
    context.sendText(answer);
    await context.progress(tokens, maxTokens);
  }
  const result = answer.trim();
  context.sendText(result);
  return result;
}
