/** Messages of the Model Context Protocol: which tools there are, and calls of them. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { ToolDescription } from '../node-api/chat.ts';

/** The tools behind an address. */
export interface McpTools {
  /** Name of the server, for clients. */
  name: string;
  instructions?: string;
  list(): Promise<ToolDescription[]>;
  /** @returns undefined if there is no such tool */
  call(name: string, args: JsonObject, messageId: string): Promise<McpResult | undefined>;
}

export interface McpResult {
  text: string;
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

/** The answer to a message. Undefined for a notification. */
export async function answerMessage(message: McpMessage, tools: McpTools): Promise<JsonObject | undefined> {
  const { id } = message;
  if (id === undefined) return undefined;
  const result = await resultOf(message, tools);
  if ('error' in result) return { jsonrpc: '2.0', id, error: result.error };
  return { result, jsonrpc: '2.0', id };
}

async function resultOf({ id, method, params }: McpMessage, tools: McpTools): Promise<JsonObject> {
  switch (method) {
    case 'initialize': {
      const requested = String(params.protocolVersion);
      return {
        protocolVersion: VERSIONS.includes(requested) ? requested : VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: tools.name, version: '0.1.0' },
        ...(tools.instructions && { instructions: tools.instructions }),
      };
    }
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: (await tools.list()).map(toolJson) };
    case 'tools/call': {
      const args = isObject(params.arguments) ? params.arguments : {};
      const result = await tools.call(String(params.name), args, String(id));
      if (!result) return { error: { code: -32603, message: 'Tool not found' } };
      const content = [{ type: 'text', text: result.text }];
      return { content, ...(result.isError && { isError: true }) };
    }
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

function toolJson({ name, description, schema }: ToolDescription): JsonObject {
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
