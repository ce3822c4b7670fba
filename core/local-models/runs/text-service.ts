import type { LoadedModel } from '../scheduler/loaded-model.ts';
import type { EventRun, Run } from './events.ts';
import type { HeardEvent, HearSpeechRequest } from './hear-request.ts';
import type { ChatRequest, EmbedRequest, EmbedResult, GenerateTextRequest } from './requests.ts';
import type { SpeakTextRequest, SpokenEvent } from './speak-request.ts';

/** Language models for all dialects. Every error is an `ApiError` with Ollama's status and text. */
export interface TextService {
  /**
   * Starts a chat. Resolves when the request is checked and queued; the answer follows in the run's events.
   * Rejects with ApiError: 400 for what the model cannot do, 403 and 404 for its name, 503 when the queue is full.
   */
  chat(request: ChatRequest, signal: AbortSignal): Promise<Run>;
  /** Starts a completion, as `chat` starts a chat. */
  generate(request: GenerateTextRequest, signal: AbortSignal): Promise<Run>;
  /**
   * Computes the vectors of texts.
   * Rejects with ApiError: 404 for a missing model, 501 for one without pooling, 400 for an empty or too long text.
   * @param begun is called when the model is loaded and the computation starts
   */
  embed(request: EmbedRequest, signal: AbortSignal, begun?: () => void): Promise<EmbedResult>;
  /**
   * Starts to write speech down. Resolves when the request is queued.
   * Rejects with ApiError: 403 and 404 for the model's name, 400 for the language, 503 for a full queue. The run fails
   * with ApiError 400 for audio that cannot be read.
   */
  hear(request: HearSpeechRequest, signal: AbortSignal): Promise<EventRun<HeardEvent>>;
  /**
   * Starts to say a text. Resolves when the request is queued.
   * Rejects with ApiError: 403 and 404 for the model's name, 503 for a full queue, 400 for an unknown voice. A model that
   * does not speak rejects with 400, too. The run fails with ApiError 400 for a text without a word that the model can say.
   */
  speak(request: SpeakTextRequest, signal: AbortSignal): Promise<EventRun<SpokenEvent>>;
  loaded(): LoadedModel[];
  /** The number of requests that wait for their turn or for their model. */
  waiting(): number;
  /**
   * Loads the pinned models of an earlier process or tab again. The server calls it once.
   * Resolves when all are loaded or have failed; failures are logged.
   */
  resume(signal: AbortSignal): Promise<void>;
  /** Disposes of all engines. */
  close(): Promise<void>;
}
