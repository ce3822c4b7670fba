import type { Piece } from './tool-calls/index.ts';

export type OutputPiece = Piece | { thinking: string };

export interface OutputParser {
  /** Pieces that are certain; the rest is held back. */
  push(text: string): OutputPiece[];
  /** What was held back, when nothing more comes. */
  end(): OutputPiece[];
  /**
   * Once no more thinking can come: the beginning of the output up to where the answer begins. A prompt that ends with
   * it is followed by the answer alone. undefined = the model may still think.
   */
  readonly thought: string | undefined;
}
