/** Parts of native answers, in the order of their fields; `undefined` is left out. */
import { omitIfEmpty } from '#core/http';
import type { ToolCall } from '../base/messages.ts';
import type { Logprob, RunStatistics } from '../runs/events.ts';

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

/** `firstIndex`: number of calls already sent in this answer. */
export function wireToolCalls(calls: ToolCall[], firstIndex = 0): object[] | undefined {
  return omitIfEmpty(
    calls.map((call, i) => ({
      id: omitIfEmpty(call.id),
      function: { index: firstIndex + i, name: call.name, arguments: call.arguments },
    })),
  );
}

export function wireLogprobs(logprobs: Logprob[] | undefined): object[] | undefined {
  return omitIfEmpty(
    logprobs?.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes: omitIfEmpty(bytes),
      top_logprobs: omitIfEmpty(
        top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: omitIfEmpty(other.bytes) })),
      ),
    })),
  );
}
