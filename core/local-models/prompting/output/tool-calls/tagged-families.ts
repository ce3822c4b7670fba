/** Families that differ only in the tags around their JSON. */
import type { ToolCallFamily } from './family.ts';
import { taggedJson } from './tagged-json.ts';

const family = (name: string, open: string, close: string): ToolCallFamily => ({
  name,
  matches: (template) => template.includes(open),
  forms: [taggedJson(open, close)],
});

export const taggedFamilies: ToolCallFamily[] = [
  family('nemotron', '<TOOLCALL>', '</TOOLCALL>'),
  family('apriel', '<tool_calls>', '</tool_calls>'),
];
