/**
 * Llama 3.x and 4. The answer begins with bare JSON with `parameters`; or JSON or Python follows `<|python_tag|>`. They
 * also write `<function=name>{…}</function>`, and a Python list of calls, as LFM2 does.
 */
import { bareJson } from './bare-json.ts';
import type { CallForm, ToolCallFamily } from './family.ts';
import { hermes } from './hermes.ts';
import { pythonCall, pythonCalls } from './python-call.ts';
import { readCalls } from './read-call.ts';

const END = ['<|eom_id|>', '<|eot_id|>', '<|eot|>'];

const pythonTag: CallForm = {
  open: '<|python_tag|>',
  read(cursor, tools) {
    cursor.space();
    const first = cursor.peek();
    const json = first === '{' || first === '[' ? cursor.json() : undefined;
    const call = first === '{' || first === '[' ? undefined : pythonCall(cursor, tools);
    const calls = json === undefined ? call && [call] : readCalls(json, tools);
    if (calls) cursor.anyWord(END);
    return calls;
  },
};

const pythonList = (open: string, close: string[], anchored: boolean): CallForm => ({
  open,
  anchored,
  read(cursor, tools) {
    cursor.space();
    const calls = pythonCalls(cursor, tools);
    if (calls && close.length > 0) cursor.skipAny(close);
    return calls;
  },
});

/** Lists of calls in Python. `open` includes the bracket of the list. */
export const pythonForms: CallForm[] = [
  pythonList('<|python_start|>[', ['<|python_end|>'], false),
  pythonList('<|tool_call_start|>[', ['<|tool_call_end|>'], false),
  pythonList('[', [], true),
];

export const llama: ToolCallFamily = {
  name: 'llama',
  matches: (template) =>
    /<\|python_tag\|>|<\|python_start\|>|<\|start_header_id\|>|<\|header_start\|>|<\|tool_call_start\|>|<\|tool_list_start\|>|func_name1\(/.test(
      template,
    ),
  forms: [
    ...bareJson.forms,
    pythonTag,
    ...pythonForms,
    ...hermes.forms.filter(({ open }) => open === '<function='),
  ],
  separator: /[\s,;]/,
};
