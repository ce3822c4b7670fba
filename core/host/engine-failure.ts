/** How an engine's worker or process tells of an error to the side that holds the model: errors themselves do not travel. */
import {
  ContextExceeded,
  EngineCrashed,
  EngineError,
  ModelCorrupt,
  ModelUnsupported,
  OutOfMemory,
  RequestRefused,
} from './language-engine.ts';

export type EngineErrorKind =
  | 'corrupt'
  | 'unsupported'
  | 'memory'
  | 'context'
  /** Only this request failed. */
  | 'request'
  /** Only this request, and it is the client's fault. */
  | 'refused'
  | 'crash'
  | 'device-lost'
  | 'aborted';

export interface SerializedEngineError {
  kind: EngineErrorKind;
  /** Only the cause: what to do next depends on who asked, and is said by the core. */
  message: string;
  /** For `context`. */
  promptTokens?: number;
  contextLength?: number;
}

/** The error of the seam that a failure stands for. */
export function deserializeEngineError({
  kind,
  message,
  promptTokens,
  contextLength,
}: SerializedEngineError): Error {
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
    case 'crash':
    case 'device-lost':
      return new EngineCrashed(message);
    case 'request':
    case 'aborted':
      return new EngineError(message);
  }
}
