/** What a run gives: events that native routes and every dialect print. */
import type { TokenLogprob } from '#core/host';
import type { ToolCall } from '../base/messages.ts';

/** All durations in nanoseconds. */
export interface RunStatistics {
  totalDuration: number;
  loadDuration: number;
  promptEvalCount: number;
  promptEvalDuration: number;
  evalCount: number;
  evalDuration: number;
}

export interface Logprob extends TokenLogprob {
  top: TokenLogprob[];
}

export type RunEvent =
  | { type: 'text'; content: string; thinking: string; logprobs?: Logprob[] }
  /** `withEnd`: models that render their own chat template tell their calls in the last line of a stream. */
  | { type: 'tool-calls'; calls: ToolCall[]; withEnd?: true }
  /** `context`: tokens of prompt + answer, for generate without raw. */
  | { type: 'done'; reason: 'stop' | 'length'; statistics: RunStatistics; context?: number[] };

/**
 * A run that may begin: the model is known, valid and queued for. `events` loads the model where needed and generates;
 * ending the iteration early (return) or aborting stops the work.
 */
export type Run =
  | {
      kind: 'events' /** settles when the model is loaded and the prompt accepted: from here on only `events` can fail */;
      ready: Promise<void>;
      events: AsyncIterable<RunEvent>;
    }
  | { kind: 'loaded' }
  | { kind: 'unloaded' }
  | { kind: 'rendered'; text: string };
