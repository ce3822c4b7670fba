/** A client of an MCP server. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../../node-api/node-error.ts';
import { objectList } from '../../../shared/object-list.ts';
import type { McpTransport } from './transport.ts';

/** A tool as the server describes it. Its schema may be anything. */
interface McpTool {
  name: string;
  description: string;
  inputSchema: unknown;
}

/** Pages of tools that are read at most: a server could always name a further one. */
const MAX_PAGES = 50;

export class McpConnection {
  #begun: Promise<void> | undefined;
  #nextId = 1;

  constructor(private readonly transport: McpTransport) {}

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
    const parts = await this.content(name, args);
    const texts = textsOf(parts);
    return texts.length === parts.length ? texts.join('\n') : parts;
  }

  /** The parts of the tool's answer. @throws NodeError when the tool fails */
  async content(name: string, args: JsonObject): Promise<JsonObject[]> {
    const { content, isError } = await this.#ask('tools/call', { name, arguments: args });
    const parts = objectList(content);
    if (isError === true) throw new NodeError(textsOf(parts).join('\n') || `The tool ${name} failed`);
    return parts;
  }

  async #ask(method: string, params: JsonObject): Promise<JsonObject> {
    this.#begun ??= this.#begin();
    await this.#begun;
    return this.#request(method, params);
  }

  async #begin(): Promise<void> {
    await this.#request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'tabd', version: '1' },
    });
    await this.transport.notify({ method: 'notifications/initialized' });
  }

  async #request(method: string, params: JsonObject): Promise<JsonObject> {
    const answer = await this.transport.request({ id: this.#nextId++, method, params });
    if (isObject(answer?.error)) throw new NodeError(String(answer.error.message ?? 'The MCP server failed'));
    if (!isObject(answer?.result)) throw new NodeError('The MCP server gave no answer');
    return answer.result;
  }
}

function textsOf(parts: JsonObject[]): string[] {
  return parts.filter(({ type }) => type === 'text').map(({ text }) => String(text));
}
