/**
 * Calls as elements, `<invoke name="…"><parameter name="…">value</parameter></invoke>`, inside an outer element. The tags
 * have a prefix in DeepSeek from V3.2 on, and none in MiniMax M2.
 */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import type { CallForm, ToolCallFamily } from './family.ts';
import type { RequestTools } from './request-tools.ts';
import { typedValue } from './typed-value.ts';

const form = (outer: string, prefix: string): CallForm => ({
  open: `<${outer}>`,
  read(cursor, tools) {
    const calls: ToolCall[] = [];
    for (;;) {
      cursor.space();
      if (cursor.word(`</${outer}>`)) return calls.length > 0 ? calls : undefined;
      const call = readInvoke(cursor, tools, prefix);
      if (!call) return undefined;
      calls.push(call);
    }
  },
});

function readInvoke(cursor: Cursor, tools: RequestTools, prefix: string): ToolCall | undefined {
  if (!cursor.word(`<${prefix}invoke name="`)) return undefined;
  const name = cursor.until('"');
  if (name === undefined || !tools.has(name) || !cursor.word('>')) return undefined;
  const args: Record<string, unknown> = {};
  for (;;) {
    cursor.space();
    if (cursor.word(`</${prefix}invoke>`)) return { name, arguments: args };
    if (!cursor.word(`<${prefix}parameter name="`)) return undefined;
    const key = cursor.until('"');
    const attributes = cursor.until('>');
    const text = cursor.until(`</${prefix}parameter>`);
    if (key === undefined || attributes === undefined || text === undefined) return undefined;
    const isString = attributes.includes('string="true"');
    args[key] = isString ? text : typedValue(text, tools.parameter(name, key));
  }
}

const OUTER: [outer: string, prefix: string][] = [
  ['｜DSML｜function_calls', '｜DSML｜'],
  ['｜DSML｜tool_calls', '｜DSML｜'],
  ['minimax:tool_call', ''],
];

export const invoke: ToolCallFamily = {
  name: 'invoke',
  matches: (template) => /｜DSML｜|<minimax:tool_call>/.test(template),
  forms: OUTER.map(([outer, prefix]) => form(outer, prefix)),
};
