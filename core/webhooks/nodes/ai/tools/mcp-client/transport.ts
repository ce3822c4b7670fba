/** How messages reach an MCP server. */
import type { JsonObject } from '#core/workflow-format';

export interface McpServer {
  url: string;
  headers: Record<string, string>;
  /** Milliseconds of one request. */
  timeout: number;
  /** Ends all requests. */
  signal: AbortSignal;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

export interface McpTransport {
  /** The answer: `{ result }` or `{ error }`. Undefined: there was none. @throws NodeError */
  request(message: JsonObject & { id: number }): Promise<JsonObject | undefined>;
  /** @throws NodeError */
  notify(message: JsonObject): Promise<void>;
}
