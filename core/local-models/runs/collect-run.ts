import type { ToolCall } from '../base/messages.ts';
import type { Logprob, RunEvent } from './events.ts';

type Done = Extract<RunEvent, { type: 'done' }>;

/** A whole answer. */
export interface Gathered<End = Done> {
  content: string;
  thinking: string;
  toolCalls: ToolCall[];
  logprobs: Logprob[];
  done: End;
}

/** Collects a run that ends with its `done` event. */
export async function gather<End extends { type: 'done' } = Done>(
  events: AsyncIterable<Exclude<RunEvent, Done> | End>,
): Promise<Gathered<End>> {
  const parts: { content: string[]; thinking: string[] } = { content: [], thinking: [] };
  const toolCalls: ToolCall[] = [];
  const logprobs: Logprob[] = [];
  let done: End | undefined;
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
