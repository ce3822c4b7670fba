/** Messages, tools and tool calls, in one form for all APIs. */

export interface ToolCall {
  id?: string;
  name: string;
  /** The parsed JSON object. */
  arguments: Record<string, unknown>;
}

export interface Message {
  /** Lower case. Any string is accepted and rendered. */
  role: string;
  content: string;
  thinking?: string;
  /** Decoded image or audio files. */
  images?: Uint8Array[];
  toolCalls?: ToolCall[];
  /** In the result of a tool: which function and call it belongs to. */
  toolName?: string;
  toolCallId?: string;
}

/** A tool exactly as the client sent it, because templates print it. */
export type Tool = Record<string, unknown>;

/** How long a model reasons before it answers, where its template offers levels. */
export type ThinkLevel = 'low' | 'medium' | 'high' | 'max';
