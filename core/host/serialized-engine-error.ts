/**
 * Errors as an engine's worker or process sends them to the side that holds the model. Messages between threads carry
 * plain data: the class of an error would be lost.
 */
import {
  ContextExceeded,
  EngineCrashed,
  EngineError,
  ModelCorrupt,
  ModelUnsupported,
  OutOfMemory,
  ProviderUnusable,
  RequestRefused,
} from './engine-errors.ts';

/**
 * The kind of an engine's error.
 * - `request`, `refused`: this request alone failed, by the engine's or by the client's fault.
 * - `provider`: this device or provider cannot run the graph; another one may.
 * - `crash`, `device-lost`: the model cannot be used any more.
 * - `aborted`: the caller cancelled.
 */
export type EngineErrorKind =
  | 'corrupt'
  | 'unsupported'
  | 'memory'
  | 'context'
  | 'request'
  | 'refused'
  | 'provider'
  | 'crash'
  | 'device-lost'
  | 'aborted';

/** An engine's error as a message between workers or processes. */
export interface SerializedEngineError {
  kind: EngineErrorKind;
  /** The cause alone. The core adds the next step, which depends on the API that was called. */
  message: string;
  /** Tokens of the prompt, for `context`. */
  promptTokens?: number;
  /** Tokens that fit, for `context`. */
  contextLength?: number;
}

/** The error that a message from an engine's worker or process describes. */
export function deserializeEngineError({
  kind,
  message,
  promptTokens,
  contextLength,
}: SerializedEngineError): EngineError {
  switch (kind) {
    case 'corrupt':
      return new ModelCorrupt(message);
    case 'unsupported':
      return new ModelUnsupported(message);
    case 'memory':
      return new OutOfMemory(message);
    case 'context':
      return new ContextExceeded(promptTokens ?? 0, contextLength ?? 0);
    case 'refused':
      return new RequestRefused(message);
    case 'provider':
      return new ProviderUnusable(message);
    case 'crash':
    case 'device-lost':
      return new EngineCrashed(message);
    case 'request':
    case 'aborted':
      return new EngineError(message);
  }
}
