import type { NodeContext } from '../kernel/node-context.ts';
import { askLines, modelFor } from './ask-models.ts';

export interface ChatRequest {
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

interface Line {
  message?: { content?: string };
}

/** Milliseconds between two looks at the text as it grows. */
const SHOWN_EVERY = 250;

/** What a language model answers, its thinking left out; it is shown on the node as it comes, and an interrupt stops it. */
export async function chat(request: ChatRequest, context: NodeContext): Promise<string> {
  const { instructions, text, images, seed, temperature, maxTokens } = request;
  const model = await modelFor(request.model, images ? 'vision' : 'completion', context);
  const body = {
    model,
    messages: [
      ...(instructions.trim() !== '' ? [{ role: 'system', content: instructions }] : []),
      { role: 'user', content: text, ...(images && { images }) },
    ],
    // Generators of language models take 31 bits.
    options: { seed: Number(seed % 2147483647n), temperature, num_predict: maxTokens },
  };
  let answer = '';
  let shownAt = performance.now();
  let tokens = 0;
  for await (const { message } of askLines<Line>('/api/chat', body, context)) {
    answer += message?.content ?? '';
    tokens = Math.min(tokens + 1, maxTokens);
    if (performance.now() - shownAt < SHOWN_EVERY) continue;
    shownAt = performance.now();
    context.sendText(answer);
    await context.progress(tokens, maxTokens);
  }
  const result = answer.trim();
  context.sendText(result);
  return result;
}
