/** Runs and their events, which native routes and every dialect print. */
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
  /** The most probable alternatives. */
  top: TokenLogprob[];
}

/** An event of an answer, before a dialect formats it. */
export type RunEvent =
  | { type: 'text'; content: string; thinking: string; logprobs?: Logprob[] }
  /** `withEnd`: Ollama streams the calls of models with a chat template of their own in the last line. */
  | { type: 'tool-calls'; calls: ToolCall[]; withEnd?: true }
  /** The last event. `context`: tokens of prompt and answer, for generate without raw. */
  | { type: 'done'; reason: 'stop' | 'length'; statistics: RunStatistics; context?: number[] };

/** A run that generates an answer. The request is checked and queued; the model may still have to load. */
export type AnswerRun = EventRun<RunEvent>;

/** A run of which the reader gets events. The last one has the type `done`. */
export interface EventRun<E> {
  kind: 'events';
  /** Settles when the model is loaded and the prompt accepted: later only `events` can fail. Rejects with what failed. */
  ready: Promise<void>;
  /**
   * The events, which can be read once. Ending the iteration early, or aborting the request's signal, stops the work.
   */
  events: AsyncIterable<E>;
}

/** The outcome of a chat or completion request. `rendered`: the prompt itself, for `debugRenderOnly`. */
export type Run = AnswerRun | { kind: 'loaded' } | { kind: 'unloaded' } | { kind: 'rendered'; text: string };
