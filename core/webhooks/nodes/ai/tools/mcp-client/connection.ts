/** A client of an MCP server, over streamable HTTP. */
import { isObject } from '#core/base';
import { readEvents } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../../node-api/node-error.ts';

interface McpServer {
  url: string;
  headers: Record<string, string>;
  /** Milliseconds of one request. */
  timeout: number;
  signal: AbortSignal;
}

/** A tool as the server describes it. Its schema may be anything. */
interface McpTool {
  name: string;
  description: string;
  inputSchema: unknown;
}

/** Pages of tools that are read at most: a server could always name a further one. */
const MAX_PAGES = 50;

export class McpConnection {
  #session: Promise<string | undefined> | undefined;
  #nextId = 1;

  constructor(
    private readonly server: McpServer,
    private readonly fetch: (url: string, init: RequestInit) => Promise<Response>,
  ) {}

  /** @throws NodeError when the server fails */
  async tools(): Promise<McpTool[]> {
    const tools: McpTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.#ask('tools/list', cursor === undefined ? {} : { cursor });
      for (const tool of Array.isArray(result.tools) ? result.tools : []) {
        if (!isObject(tool) || typeof tool.name !== 'string') continue;
        tools.push({
          name: tool.name,
          description: String(tool.description ?? ''),
          inputSchema: tool.inputSchema,
        });
      }
      cursor = result.nextCursor;
      if (cursor === undefined || cursor === null) break;
    }
    return tools;
  }

  /** The text of the tool's answer, or its content. @throws NodeError when the tool fails */
  async call(name: string, args: JsonObject): Promise<unknown> {
    const { content, isError } = await this.#ask('tools/call', { name, arguments: args });
    const parts = Array.isArray(content) ? content : [];
    const texts = parts
      .filter((part) => isObject(part) && part.type === 'text')
      .map(({ text }) => String(text));
    if (isError === true) throw new NodeError(texts.join('\n') || `The tool ${name} failed`);
    return texts.length === parts.length ? texts.join('\n') : parts;
  }

  async #ask(method: string, params: JsonObject): Promise<JsonObject> {
    this.#session ??= this.#begin();
    const session = await this.#session;
    return (await this.#send({ id: this.#nextId++, method, params }, session)).result;
  }

  async #begin(): Promise<string | undefined> {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'tabd', version: '1' },
    };
    const { session } = await this.#send({ id: this.#nextId++, method: 'initialize', params }, undefined);
    await this.#post({ method: 'notifications/initialized' }, session);
    return session;
  }

  async #send(
    message: JsonObject & { id: number },
    session: string | undefined,
  ): Promise<{ result: JsonObject; session: string | undefined }> {
    const response = await this.#post(message, session);
    const answer = await answerTo(message.id, response);
    if (isObject(answer?.error)) throw new NodeError(String(answer.error.message ?? 'The MCP server failed'));
    if (!isObject(answer?.result)) throw new NodeError('The MCP server gave no answer');
    return { result: answer.result, session: response.headers.get('mcp-session-id') ?? session };
  }

  async #post(message: JsonObject, session: string | undefined): Promise<Response> {
    const { url, headers, timeout, signal } = this.server;
    const response = await this.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    if (response.ok) return response;
    const text = (await response.text()).slice(0, 300);
    throw new NodeError(`The MCP server answered with status ${response.status}`, { description: text });
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
