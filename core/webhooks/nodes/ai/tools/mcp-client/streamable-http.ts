/** The newer transport of MCP: each message is a request of its own, and a session names the client. */
import { isObject } from '#core/base';
import { readEvents } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import { postMessage } from './post-message.ts';
import type { McpServer, McpTransport } from './transport.ts';

export class StreamableHttp implements McpTransport {
  #session: string | undefined;

  constructor(private readonly server: McpServer) {}

  async request(message: JsonObject & { id: number }): Promise<JsonObject | undefined> {
    const response = await this.#post(message);
    this.#session = response.headers.get('mcp-session-id') ?? this.#session;
    return answerTo(message.id, response);
  }

  async notify(message: JsonObject): Promise<void> {
    await this.#post(message);
  }

  #post(message: JsonObject): Promise<Response> {
    const session = this.#session;
    return postMessage(this.server, this.server.url, message, {
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }),
    });
  }
}

/** The answer with this id: the body, or one event of a stream. */
async function answerTo(id: number, response: Response): Promise<JsonObject | undefined> {
  if (!(response.headers.get('content-type') ?? '').includes('text/event-stream')) {
    const value: unknown = JSON.parse(await response.text());
    return isObject(value) ? value : undefined;
  }
  for await (const event of readEvents(response.body)) if (event.id === id) return event;
  return undefined;
}
