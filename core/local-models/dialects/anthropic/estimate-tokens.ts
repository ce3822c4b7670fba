import { printJson, toPlainValue } from '#core/http';
import type { Block } from './blocks.ts';
import type { WireMessage } from './history.ts';
import type { WireTool } from './tools.ts';

const encoder = new TextEncoder();
const bytes = (text = '') => encoder.encode(text).length;

function sizeOf(block: Block): number {
  const size = bytes(block.text) + bytes(block.thinking);
  if (block.type !== 'tool_use' && block.type !== 'tool_result') return size;
  const { content, ...rest } = block;
  return size + bytes(printJson(content ? { ...rest, content: toPlainValue(content) } : rest));
}

/** Estimates the tokens of a prompt: one for every four bytes, at least one. A stream reports them before the real count. */
export function estimateTokens(system: string, messages: WireMessage[], tools: WireTool[]): number {
  let size = bytes(system);
  for (const { role, blocks } of messages)
    size += bytes(role) + blocks.reduce((sum, block) => sum + sizeOf(block), 0);
  for (const { name, description, input_schema: schema } of tools)
    size += bytes(name) + bytes(description) + (schema ? schema.end - schema.start : 0);
  return Math.max(1, Math.floor(size / 4));
}
