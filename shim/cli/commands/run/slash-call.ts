import type { PromptHistory } from './history.ts';
import type { Session } from './session.ts';

/** The chat in which a slash command runs. */
export interface SlashCall {
  session: Session;
  history: PromptHistory;
  signal: AbortSignal;
  write(text: string): void;
  /** Reads the rest of a text that begins with three quotes. Undefined if the user cancels. */
  readRest(firstLine: string): Promise<string | undefined>;
}
