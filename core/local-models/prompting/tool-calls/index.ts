/** Which form of tool calls a model uses is read off its template; the last family takes everything else. */
import type { Tool } from '../../types.ts';
import { bareJson } from './bare-json.ts';
import { hermes } from './hermes.ts';
import type { ToolCallFamily, ToolCallParser } from './parser.ts';

export type { Piece, ToolCallParser } from './parser.ts';

const FAMILIES: ToolCallFamily[] = [hermes, bareJson];

export function toolCallParser(template: string, tools: Tool[]): ToolCallParser {
  const names = new Set<string>();
  for (const tool of tools) {
    const name = (tool.function as { name?: unknown } | undefined)?.name;
    if (typeof name === 'string') names.add(name);
  }
  return FAMILIES.find((family) => family.matches(template))!.create(names);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const MIXED = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LETTERS}`;

/** Models with a TEMPLATE get `call_` and 8 characters, models with a chat template of their own 32. */
export function toolCallId(native: boolean): string {
  const bytes = crypto.getRandomValues(new Uint8Array(native ? 32 : 8));
  const alphabet = native ? MIXED : LETTERS;
  const text = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
  return native ? text : `call_${text}`;
}
