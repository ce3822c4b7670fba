import type { ToolCall } from '../base/messages.ts';
import type { Logprob, RunEvent } from './events.ts';

type DoneEvent = Extract<RunEvent, { type: 'done' }>;

/** A complete answer. */
export interface CollectedRun<End = DoneEvent> {
  content: string;
  thinking: string;
  toolCalls: ToolCall[];
  logprobs: Logprob[];
  done: End;
}

/** Joins the events of a run, whose last one must be `done`. `End`: the dialect's own form of that event. */
export async function collectRun<End extends { type: 'done' } = DoneEvent>(
  events: AsyncIterable<Exclude<RunEvent, DoneEvent> | End>,
): Promise<CollectedRun<End>> {
  const content: string[] = [];
  const thinking: string[] = [];
  const toolCalls: ToolCall[] = [];
  const logprobs: Logprob[] = [];
  let done: End | undefined;
  for await (const event of events) {
    if (event.type === 'text') {
      content.push(event.content);
      thinking.push(event.thinking);
      for (const logprob of event.logprobs ?? []) logprobs.push(logprob);
    } else if (event.type === 'tool-calls') toolCalls.push(...event.calls);
    else done = event;
  }
  return { content: content.join(''), thinking: thinking.join(''), toolCalls, logprobs, done: done! };
}
