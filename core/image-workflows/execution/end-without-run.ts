/** The ends of prompts that no place has a result for. */
import type { Prompt } from './prompt.ts';
import type { PromptEvents } from './prompt-events.ts';
import { historyEntryJson } from './prompt-json.ts';
import type { PromptEnd } from './prompt-place.ts';

const NO_NODE = { node_id: null, node_type: null, executed: [] };

/** The end of a prompt that was interrupted while its place was lost. Sends its events. */
export function interruptedEnd(prompt: Prompt, events: PromptEvents): PromptEnd {
  return endOf(prompt, events, 'interrupted', () =>
    events.promptEvent('execution_interrupted', { prompt_id: prompt.id, ...NO_NODE }),
  );
}

/** The end of a prompt that cannot run, for a reason that its client reads. Sends its events. */
export function failedEnd(prompt: Prompt, events: PromptEvents, reason: string): PromptEnd {
  return endOf(prompt, events, 'error', () =>
    events.promptEvent('execution_error', {
      prompt_id: prompt.id,
      ...NO_NODE,
      exception_message: reason,
      exception_type: 'RuntimeError',
      traceback: [],
      current_inputs: {},
      current_outputs: [],
    }),
  );
}

function endOf(
  prompt: Prompt,
  events: PromptEvents,
  outcome: 'error' | 'interrupted',
  sendLast: () => void,
): PromptEnd {
  events.promptEvent('execution_start', { prompt_id: prompt.id });
  sendLast();
  const [startedAt, endedAt] = events.records.map(([, { timestamp }]) => timestamp as number);
  return {
    outcome,
    entryJson: historyEntryJson(prompt, events.records, { outcome, shown: new Map() }),
    startedAt: startedAt!,
    endedAt: endedAt!,
  };
}
