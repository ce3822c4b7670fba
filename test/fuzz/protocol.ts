/** Messages between the supervisor and the worker thread in which a target runs. */

export interface EngineOptions {
  /** The URL of the target's instrumented bundle. */
  url: string;
  seed: number;
  /** Inputs besides the target's own seeds. */
  inputs: readonly Uint8Array[];
  /** Runs the inputs only, without mutations. */
  replays: boolean;
  /** How many inputs to run at most. */
  maxRuns: number;
  /** Literals of the code. */
  words: readonly string[];
  counters: number;
  /**
   * The input under way: three 32-bit integers (the number of the run, the input's length, whether to end before the next
   * one), then its bytes.
   */
  current: SharedArrayBuffer;
}

export interface Finding {
  kind: 'error' | 'hang' | 'memory';
  /** Equal for findings with the same cause. */
  signature: string;
  details: string;
  input: Uint8Array;
}

export type EngineReport =
  | { type: 'ready' }
  | { type: 'finding'; finding: Finding }
  /** An input that reached new code. */
  | { type: 'input'; bytes: Uint8Array; covered: number }
  | { type: 'end'; covered: number };

/** Bytes of `EngineOptions.current` before the input. */
export const CURRENT_HEAD = 12;
