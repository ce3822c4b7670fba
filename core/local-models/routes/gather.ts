import type { Logprob, RunEvent, ToolCall } from '../types.ts';

/** A whole answer. */
export interface Gathered {
  content: string;
  thinking: string;
  toolCalls: ToolCall[];
  logprobs: Logprob[];
  done: Extract<RunEvent, { type: 'done' }>;
}

/** Collects a run that ends with its `done` event. */
export async function gather(events: AsyncIterable<RunEvent>): Promise<Gathered> {
  const parts: { content: string[]; thinking: string[] } = { content: [], thinking: [] };
  const toolCalls: ToolCall[] = [];
  const logprobs: Logprob[] = [];
  let done: Gathered['done'] | undefined;
  for await (const event of events) {
    if (event.type === 'text') {
      parts.content.push(event.content);
      parts.thinking.push(event.thinking);
      for (const logprob of event.logprobs ?? []) logprobs.push(logprob);
    } else if (event.type === 'tool-calls') toolCalls.push(...event.calls);
    else done = event;
  }
  return {
    content: parts.content.join(''),
    thinking: parts.thinking.join(''),
    toolCalls,
    logprobs,
    done: done!,
  };
}
