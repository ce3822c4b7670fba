import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import type { RequestTools } from './request-tools.ts';

/** One notation for tool calls. */
export interface CallForm {
  /** The text that a call begins with. */
  open: string;
  /** Calls in this form are only valid at the beginning of the answer, or right after another call. */
  anchored?: boolean;
  /**
   * Reads the calls after `open`. Undefined: this is no call.
   * The result may depend on nothing but the text that the cursor reads. Otherwise the calls would depend on where the
   * stream is cut into tokens.
   */
  read(cursor: Cursor, tools: RequestTools): ToolCall[] | undefined;
}

/** The notations that related models use. */
export interface ToolCallFamily {
  readonly name: string;
  /** Whether a chat template instructs its model to call tools in this form. */
  matches(template: string): boolean;
  readonly forms: CallForm[];
  /** Characters between calls that are dropped. Default: white space. */
  readonly separator?: RegExp;
}
