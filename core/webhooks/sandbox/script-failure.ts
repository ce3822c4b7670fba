/** Why a script has no result. */
export interface ScriptFailure {
  kind: 'time' | 'memory' | 'thrown' | 'crashed';
  name?: string;
  message: string;
  description?: string;
  /** Line of the user's code, from 1. */
  line?: number;
  itemIndex?: number;
}
