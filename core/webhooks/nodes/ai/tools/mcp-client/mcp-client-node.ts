/** Calls a tool of an MCP server for each item. */
import { isObject } from '#core/base';
import { decodeLooseBase64 } from '#core/http';
import type { Binary, Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../../node-api/node-context.ts';
import { NodeError } from '../../../../node-api/node-error.ts';
import type { NodeType } from '../../../../node-api/node-type.ts';
import { perItem } from '../../../../node-api/per-item.ts';
import { parseJsonParameter } from '../../../shared/parse-json.ts';
import { rootNode } from '../../describe.ts';
import { connect, mcpCredentials } from './connect.ts';

export const mcpClient: NodeType = rootNode('mcpClient', {
  description: 'Calls a tool of an MCP server.',
  credentials: mcpCredentials,
  execute: (context) =>
    perItem(context, async (_item, index) => {
      const tool = await context.parameter('tool', index);
      const name = String((isObject(tool) ? tool.value : tool) ?? '');
      if (name === '') throw new NodeError('No tool is chosen', { itemIndex: index });
      const connection = await connect(context, index);
      return toItem(context, await connection.content(name, await argumentsOf(context, index)), index);
    }),
});

async function argumentsOf(context: NodeContext, index: number): Promise<JsonObject> {
  const value =
    (await context.parameter('inputMode', index)) === 'json'
      ? parseJsonParameter(await context.parameter('jsonInput', index), 'The input is not JSON')
      : await context.parameter('parameters.value', index);
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new NodeError('The input of the tool is a JSON object', { itemIndex: index });
}

/** Texts that are JSON become values. Images and audio become files, unless the options say otherwise. */
async function toItem(context: NodeContext, parts: JsonObject[], index: number): Promise<Item> {
  const toBinary = (await context.parameter('options.convertToBinary', index, true)) !== false;
  const content: JsonObject[] = [];
  const binary: Record<string, Binary> = {};
  for (const part of parts) {
    if (part.type === 'text') {
      content.push({ ...part, text: jsonOrText(part.text) });
    } else if (toBinary && (part.type === 'image' || part.type === 'audio')) {
      const bytes = decodeLooseBase64(String(part.data ?? ''));
      const options = typeof part.mimeType === 'string' ? { mimeType: part.mimeType } : {};
      binary[`data_${Object.keys(binary).length}`] = await context.binary.prepare(bytes, options);
    } else content.push(part);
  }
  return {
    json: content.length > 0 ? { content } : {},
    ...(Object.keys(binary).length > 0 && { binary }),
  };
}

function jsonOrText(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
