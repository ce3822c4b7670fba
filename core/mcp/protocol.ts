/** Messages of the Model Context Protocol: which tools there are, and calls of them. */
import { isObject } from '#core/base';

type JsonObject = Record<string, unknown>;

/** A tool as clients see it. */
export interface McpTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  schema: JsonObject;
}

/** A call of a tool that runs. */
export interface McpToolCall {
  /** Id of the message, as text. */
  messageId: string;
  /** Aborts when the client cancels the call or leaves. */
  signal: AbortSignal;
  /** Reports progress to clients that asked for it. `value` grows with each report. */
  report(value: number, message?: string): void;
}

/** The tools behind an address. */
export interface McpTools {
  /** Name of the server, for clients. */
  name: string;
  /** Version of the server, for clients. */
  version: string;
  instructions?: string;
  list(signal: AbortSignal): Promise<McpTool[]>;
  /** @returns undefined if there is no such tool */
  call(name: string, args: JsonObject, call: McpToolCall): Promise<McpResult | undefined>;
}

/** A part of a result. */
export type McpContent =
  | { type: 'text'; text: string }
  /** `data` in base64. */
  | { type: 'image'; data: string; mimeType: string };

/** The answer of a tool. `isError`: the content is the message of an error. */
export interface McpResult {
  content: McpContent[];
  isError?: boolean;
}

/** A message of a client. Notifications have no id. */
export interface McpMessage {
  id?: string | number;
  method: string;
  params: JsonObject;
}

const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** Reads a message. Undefined for JSON that is none. */
export function readMessage(value: unknown): McpMessage | undefined {
  if (!isObject(value) || typeof value.method !== 'string') return undefined;
  const { id, method, params } = value;
  const hasId = typeof id === 'string' || typeof id === 'number';
  return { ...(hasId && { id }), method, params: isObject(params) ? params : {} };
}

/** The means of the transport that answers a message. */
export interface Exchange {
  signal: AbortSignal;
  /** Sends a message of the server before the answer. */
  notify(message: JsonObject): void;
}

/** The answer to a message. Undefined for a notification. */
export async function answerMessage(
  message: McpMessage,
  tools: McpTools,
  exchange: Exchange,
): Promise<JsonObject | undefined> {
  const { id } = message;
  if (id === undefined) return undefined;
  const result = await resultOf(message, tools, exchange);
  if ('error' in result) return { jsonrpc: '2.0', id, error: result.error };
  return { result, jsonrpc: '2.0', id };
}

async function resultOf(message: McpMessage, tools: McpTools, exchange: Exchange): Promise<JsonObject> {
  const { method, params } = message;
  switch (method) {
    case 'initialize': {
      const requested = String(params.protocolVersion);
      return {
        protocolVersion: VERSIONS.includes(requested) ? requested : VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: tools.name, version: tools.version },
        ...(tools.instructions && { instructions: tools.instructions }),
      };
    }
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: (await tools.list(exchange.signal)).map(toolJson) };
    case 'tools/call':
      return callTool(message, tools, exchange);
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

async function callTool(
  { id, params }: McpMessage,
  tools: McpTools,
  exchange: Exchange,
): Promise<JsonObject> {
  const args = isObject(params.arguments) ? params.arguments : {};
  const progressToken = isObject(params._meta) ? params._meta.progressToken : undefined;
  const report = (progress: number, message?: string) => {
    if (progressToken === undefined) return;
    const fields = { progressToken, progress, ...(message !== undefined && { message }) };
    exchange.notify({ jsonrpc: '2.0', method: 'notifications/progress', params: fields });
  };
  const call = { messageId: String(id), signal: exchange.signal, report };
  const result = await tools.call(String(params.name), args, call);
  if (!result) return { error: { code: -32603, message: 'Tool not found' } };
  return { content: result.content, ...(result.isError && { isError: true }) };
}

function toolJson({ name, description, schema }: McpTool): JsonObject {
  const { $schema: _draft, additionalProperties: _closed, ...shape } = schema;
  return {
    name,
    description,
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      ...shape,
      additionalProperties: true,
    },
  };
}
