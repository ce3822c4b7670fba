import type { RunRequest } from '../runs/requests.ts';

/** A request of a dialect, read and translated. `Run`: the request that it becomes. */
export interface DialectRequest<Run extends RunRequest> {
  /** The name of the model, exactly as in the request. */
  requestedName: string;
  stream: boolean;
  /** Makes the checks that Ollama makes after the translation. Their errors are those of a failed run. */
  toRequest(): Run;
}

/** Fields of a run that dialects without them leave at Ollama's defaults. */
export const RUN_DEFAULTS = {
  truncate: true,
  shift: true,
  logprobs: false,
  topLogprobs: 0,
  debugRenderOnly: false,
} satisfies Partial<RunRequest>;
