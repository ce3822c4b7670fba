/** Messages, tools and tool calls, whichever API they come from. */

export interface ToolCall {
  id?: string;
  name: string;
  /** The parsed JSON object. */
  arguments: Record<string, unknown>;
}

export interface Message {
  /** Lower-cased; any string is accepted and rendered. */
  role: string;
  content: string;
  thinking?: string;
  /** Decoded image files. */
  images?: Uint8Array[];
  toolCalls?: ToolCall[];
  toolName?: string;
  toolCallId?: string;
}

/** A tool as the client sent it, unchanged: templates print it. */
export type Tool = Record<string, unknown>;

export type ThinkLevel = 'low' | 'medium' | 'high' | 'max';
