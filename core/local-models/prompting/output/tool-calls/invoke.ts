/**
 * Calls as elements with a name: `<invoke name="…"><parameter name="…">value</parameter></invoke>`, each tag behind a
 * prefix of its own (DeepSeek from V3.2 on) or none (MiniMax M2), between tags that say that calls come.
 */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import type { CallForm, KnownTools, ToolCallFamily } from './parser.ts';
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

function readInvoke(cursor: Cursor, tools: KnownTools, prefix: string): ToolCall | undefined {
  if (!cursor.word(`<${prefix}invoke name="`)) return undefined;
  const name = cursor.until('"');
  if (name === undefined || !tools.has(name) || !cursor.word('>')) return undefined;
  const args: Record<string, unknown> = {};
  for (;;) {
    cursor.space();
    if (cursor.word(`</${prefix}invoke>`)) return { name, arguments: args };
    if (!cursor.word(`<${prefix}parameter name="`)) return undefined;
    const key = cursor.until('"');
    const kind = cursor.until('>');
    const text = cursor.until(`</${prefix}parameter>`);
    if (key === undefined || kind === undefined || text === undefined) return undefined;
    // Some say whether the value is a text; else the schema does.
    args[key] = kind.includes('string="true"') ? text : typedValue(text, tools.parameter(name, key));
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
