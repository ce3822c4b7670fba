/**
 * Gemma. Gemma 4 and FunctionGemma write `call:name{key:value}` between special tokens. Earlier ones write Python or
 * JSON in a code fence, as their makers' guide recommends.
 */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import { bareJson, fenced } from './bare-json.ts';
import type { CallForm, ToolCallFamily } from './family.ts';
import { readGemmaObject } from './gemma-value.ts';
import { pythonForms } from './llama.ts';
import { pythonCall, pythonCalls } from './python-call.ts';

const betweenTokens = (open: string, close: string): CallForm => ({
  open,
  read(cursor, tools) {
    cursor.space();
    if (!cursor.word('call:')) return undefined;
    const name = cursor.name();
    if (!tools.has(name) || !cursor.word('{')) return undefined;
    const args = readGemmaObject(cursor);
    if (args === undefined) return undefined;
    cursor.skipAny([close]);
    return [{ name, arguments: args }];
  },
});

/** A fence with one call a line, perhaps inside `print(…)`, or with a list of calls. */
const pythonFence = (open: string): CallForm => ({
  open,
  read(cursor, tools) {
    cursor.space();
    if (cursor.word('[')) {
      const calls = pythonCalls(cursor, tools);
      cursor.space();
      return calls && (cursor.word('```') || cursor.ended) ? calls : undefined;
    }
    const calls: ToolCall[] = [];
    for (;;) {
      cursor.space();
      if (calls.length > 0 && (cursor.word('```') || (cursor.ended && cursor.peek() === undefined)))
        return calls;
      const isPrinted = cursor.word('print(');
      const call = pythonCall(cursor, tools);
      if (!call) return undefined;
      if (isPrinted && !cursor.word(')')) return undefined;
      calls.push(call);
    }
  },
});

export const gemma: ToolCallFamily = {
  name: 'gemma',
  matches: (template) => /<start_of_turn>|<start_function_call>|<\|tool_call>|<\|turn>/.test(template),
  forms: [
    betweenTokens('<|tool_call>', '<tool_call|>'),
    betweenTokens('<start_function_call>', '<end_function_call>'),
    pythonFence('```tool_code'),
    pythonFence('```python'),
    { ...fenced('```tool_call'), anchored: false },
    { ...fenced('```json'), anchored: false },
    ...bareJson.forms.filter(({ open }) => open !== '```json'),
    ...pythonForms,
  ],
  separator: /[\s,;]/,
};
