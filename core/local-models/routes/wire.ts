/** Parts of native answers, in the order of their fields; `undefined` is left out. */
import { orOmit } from '#core/http';
import type { ToolCall } from '../base/messages.ts';
import type { Logprob, RunStatistics } from '../runs/events.ts';

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

/** `firstIndex`: number of calls already sent in this answer. */
export function wireToolCalls(calls: ToolCall[], firstIndex = 0): object[] | undefined {
  return orOmit(
    calls.map((call, i) => ({
      id: orOmit(call.id),
      function: { index: firstIndex + i, name: call.name, arguments: call.arguments },
    })),
  );
}

export function wireLogprobs(logprobs: Logprob[] | undefined): object[] | undefined {
  return orOmit(
    logprobs?.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes: orOmit(bytes),
      top_logprobs: orOmit(
        top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: orOmit(other.bytes) })),
      ),
    })),
  );
}
