import type { ToolCall } from '../../types.ts';

/** A piece of an answer: text for people, or calls. */
export type Piece = { text: string } | { calls: ToolCall[] };

/** Finds the tool calls of one family of models in streamed text. */
export interface ToolCallParser {
  /** Pieces that are certain; what may be the beginning of a call is held back. */
  push(text: string): Piece[];
  /** What was held back, when nothing more comes. */
  end(): Piece[];
}

export interface ToolCallFamily {
  readonly name: string;
  /** Whether a template tells its model to call tools in this form. */
  matches(template: string): boolean;
  /** `names`: the tools of the request; anything else is text. */
  create(names: ReadonlySet<string>): ToolCallParser;
}
