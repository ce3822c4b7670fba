import type { ModelsClient } from '../api-client.ts';

/** The parts of the app state that chats use. */
export interface ChatHost {
  readonly api: ModelsClient;
  /** The model for conversations that have none of their own. */
  readonly model: string | undefined;
  /** Resolves when the installed models were listed for the first time. */
  readonly modelsListed: Promise<void>;
  capabilities(model: string): readonly string[] | undefined;
  isLoaded(model: string): boolean;
  /** A model for embeddings. Undefined when none is installed. */
  readonly embeddingModel: string | undefined;
  /** Tokens of context of a loaded model. */
  contextLength(model: string): number | undefined;
  deviceOf(model: string): Promise<string>;
  refresh(): Promise<void>;
  changed(): void;
}
