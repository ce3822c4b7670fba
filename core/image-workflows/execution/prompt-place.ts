import type { FilePath } from '#core/host';
import type { PromptListener } from '../sockets/prompt-listener.ts';
import type { Prompt } from './prompt.ts';
import type { PromptResult } from './run-prompt.ts';

/** How a prompt ended, as history stores it. Times are milliseconds since 1970. */
export interface PromptEnd {
  outcome: PromptResult['outcome'];
  /** The entry of the history. */
  entryJson: string;
  startedAt?: number;
  endedAt?: number;
}

/** Runs one prompt at a time: this process, or another one of the cluster. */
export interface PromptPlace {
  /** The name of the other process. Undefined: this one. */
  readonly process?: string;
  /**
   * Runs a prompt. A failure of the prompt is a result.
   * @param signal aborts to interrupt the prompt. Its result then says so. With `PlaceClosing` as the reason, nobody waits
   *   for a result
   * @throws PlaceLost when the place has ended, or does not take the prompt
   */
  run(prompt: Prompt, listener: PromptListener, signal: AbortSignal): Promise<PromptEnd>;
  /** Frees memory when no prompt runs there. */
  free(options: FreeOptions): void;
}

export interface FreeOptions {
  /** Also frees the cached results. */
  results?: boolean;
  /** Frees the graphs of this file or folder alone, because it has changed. Default: the graphs of all models. */
  path?: FilePath;
}

/** The places that run the prompts of a queue. */
export interface PromptPlaces {
  /** The places that can be used now. The same place is the same object each time. */
  list(): readonly PromptPlace[];
  /** Calls `listener` when there may be other places. */
  onChange(listener: () => void): void;
}

/** A place has no result for a prompt. */
export class PlaceLost extends Error {
  override name = 'PlaceLost';
  /** @param mayHaveRun whether the prompt may have been the cause. Otherwise it has not begun, or was given back */
  constructor(
    message: string,
    readonly mayHaveRun: boolean,
  ) {
    super(message);
  }
}

/** The reason of an interrupt because this server is closing. */
export class PlaceClosing extends Error {
  override name = 'PlaceClosing';
}
