/**
 * Llama 3.x and 4: bare JSON with `parameters` where the answer begins, the same or a built-in call behind
 * `<|python_tag|>`, `<function=name>{…}</function>`, or a Python list of calls, as LFM2 writes it too.
 */
import { bareJson } from './bare-json.ts';
import { hermes } from './hermes.ts';
import type { CallForm, ToolCallFamily } from './parser.ts';
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
    if (!calls || close.length === 0) return calls;
    const end = cursor.at;
    cursor.space();
    if (!cursor.anyWord(close)) cursor.at = end;
    return calls;
  },
});

/** A list in Python: its own opening bracket is in `open`. */
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
