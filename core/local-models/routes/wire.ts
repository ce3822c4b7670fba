/** Parts of native answers, with fields in Ollama's order. Undefined fields are left out. */
import { omitIfEmpty } from '#core/http';
import type { ToolCall } from '../base/messages.ts';
import type { RunStatistics } from '../runs/events.ts';

export function wireStatistics(statistics: RunStatistics): object {
  return {
    total_duration: omitIfEmpty(Math.round(statistics.totalDuration)),
    load_duration: omitIfEmpty(Math.round(statistics.loadDuration)),
    prompt_eval_count: omitIfEmpty(statistics.promptEvalCount),
    prompt_eval_duration: omitIfEmpty(Math.round(statistics.promptEvalDuration)),
    eval_count: omitIfEmpty(statistics.evalCount),
    eval_duration: omitIfEmpty(Math.round(statistics.evalDuration)),
  };
}

/**
 * @param firstIndex the number of calls that earlier lines of the answer had
 * @returns undefined for an empty list: the field is then left out
 */
export function wireToolCalls(calls: ToolCall[], firstIndex = 0): object[] | undefined {
  return omitIfEmpty(
    calls.map((call, i) => ({
      id: omitIfEmpty(call.id),
      function: { index: firstIndex + i, name: call.name, arguments: call.arguments },
    })),
  );
}
