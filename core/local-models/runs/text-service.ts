import type { LoadedModel } from '../scheduler/loaded-model.ts';
import type { Run } from './events.ts';
import type { ChatRequest, EmbedRequest, EmbedResult, GenerateTextRequest } from './requests.ts';

/** What document 1 can do with text, behind all its dialects. Errors are `ApiError`s with the native text and status. */
export interface TextService {
  chat(request: ChatRequest, signal: AbortSignal): Promise<Run>;
  generate(request: GenerateTextRequest, signal: AbortSignal): Promise<Run>;
  /**
   * Vectors of texts. Throws ApiError: 404 for a model that is not there, 501 for one that does not pool, 400 for a text
   * that is too long (`truncate` false) or empty. `begun` is called when the model is loaded and its work begins.
   */
  embed(request: EmbedRequest, signal: AbortSignal, begun?: () => void): Promise<EmbedResult>;
  loaded(): LoadedModel[];
  /** How many requests wait for their turn, or for their model to load. */
  waiting(): number;
  /**
   * Loads again what requests before a restart, or in a tab that led before, asked to keep forever. Called once by
   * whatever serves; settles when all are loaded or have failed (logged).
   */
  resume(signal: AbortSignal): Promise<void>;
  /** Ends all engines. */
  close(): Promise<void>;
}
