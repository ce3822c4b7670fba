/** Messages, tools and answers of chat models, independent of a server's format. */
import type { JsonObject } from '#core/workflow-format';

/** A JSON Schema. */
export type JsonSchema = JsonObject;

/** A part of a message of the user. */
export type ContentPart =
  | { type: 'text'; text: string }
  /** `url`: an address, or the data as a `data:` address. */
  | { type: 'image_url'; image_url: { url: string } };

/** A tool that a model asks for. */
export interface ToolCall {
  id: string;
  name: string;
  args: JsonObject;
}

export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ContentPart[] }
  /** An empty list of parts is sent as it is. */
  | { role: 'assistant'; content: string | []; toolCalls?: ToolCall[] }
  | { role: 'tool'; content: string; toolCallId: string; name: string };

/** A tool as a model sees it. */
export interface ToolDescription {
  name: string;
  description: string;
  schema: JsonSchema;
}

export interface ChatRequest {
  messages: ChatMessage[];
  tools?: ToolDescription[];
  /** Receives the text of the answer piece by piece. With it, or with `streamed`, the answer is requested as a stream. */
  onText?(text: string): Promise<void>;
  streamed?: boolean;
}

export interface TokenUsage {
  completionTokens: number;
  promptTokens: number;
  totalTokens: number;
}

export interface ChatAnswer {
  text: string;
  toolCalls: ToolCall[];
  /** Whether the model wrote arguments of a tool that are not JSON. */
  hasInvalidCalls: boolean;
  /** False: the server answered without a message. */
  hasMessage: boolean;
  usage?: TokenUsage;
  /** Facts about the end of the answer, such as `finish_reason`. */
  info?: JsonObject;
}

/** A model that a sub-node supplies. */
export interface ChatModel {
  /** Name of the sub-node. */
  readonly node: string;
  /** @throws NodeError when the server of the model fails */
  ask(request: ChatRequest): Promise<ChatAnswer>;
}
