/** OLMo 3: calls written as Python, one a line, between `<function_calls>` tags. */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { CallForm, ToolCallFamily } from './family.ts';
import { pythonCall } from './python-call.ts';

const CLOSE = '</function_calls>';

const form: CallForm = {
  open: '<function_calls>',
  read(cursor, tools) {
    const calls: ToolCall[] = [];
    for (;;) {
      cursor.space();
      const isEnd = cursor.word(CLOSE) || (cursor.ended && cursor.peek() === undefined);
      if (isEnd) return calls.length > 0 ? calls : undefined;
      const call = pythonCall(cursor, tools);
      if (!call) return undefined;
      calls.push(call);
    }
  },
};

export const olmo: ToolCallFamily = {
  name: 'olmo',
  matches: (template) => template.includes('<function_calls>'),
  forms: [form],
};
