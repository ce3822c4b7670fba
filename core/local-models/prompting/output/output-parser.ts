import type { AnswerPiece } from './tool-calls/tool-call-parser.ts';

export type OutputPiece = AnswerPiece | { thinking: string };

/** Splits the streamed output of a model into thinking, text and tool calls. */
export interface OutputParser {
  /** Returns the pieces that are certain, and holds back the rest. */
  push(text: string): OutputPiece[];
  /** Returns the rest of the output after the end of the stream. */
  end(): OutputPiece[];
  /**
   * The output up to the beginning of the answer, thinking included. After a prompt that ends with it the model writes
   * the answer alone. Undefined: the model may still be thinking.
   */
  readonly textBeforeAnswer: string | undefined;
}
