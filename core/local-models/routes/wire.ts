/** Parts of native answers, with fields in Ollama's order. Undefined fields are left out. */
import { orOmit } from '#core/http';
import type { ToolCall } from '../base/messages.ts';
import type { RunStatistics } from '../runs/events.ts';

export function wireStatistics(statistics: RunStatistics): object {
  return {
    total_duration: orOmit(Math.round(statistics.totalDuration)),
    load_duration: orOmit(Math.round(statistics.loadDuration)),
    prompt_eval_count: orOmit(statistics.promptEvalCount),
    prompt_eval_duration: orOmit(Math.round(statistics.promptEvalDuration)),
    eval_count: orOmit(statistics.evalCount),
    eval_duration: orOmit(Math.round(statistics.evalDuration)),
  };
}

/**
 * @param firstIndex the number of calls that earlier lines of the answer had
 * @returns undefined for an empty list: the field is then left out
 */
export function wireToolCalls(calls: ToolCall[], firstIndex = 0): object[] | undefined {
  return orOmit(
    calls.map((call, i) => ({
      id: orOmit(call.id),
      function: { index: firstIndex + i, name: call.name, arguments: call.arguments },
    })),
  );
}
