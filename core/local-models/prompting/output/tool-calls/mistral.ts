/** Mistral: `[TOOL_CALLS][{…}, …]`; since 2025 `[TOOL_CALLS]name[ARGS]{…}` for each call. */
import type { CallForm, ToolCallFamily } from './family.ts';
import { readCalls, toToolCall } from './read-call.ts';

const form: CallForm = {
  open: '[TOOL_CALLS]',
  read(cursor, tools) {
    cursor.space();
    const first = cursor.peek();
    if (first === '[' || first === '{') {
      const json = cursor.json();
      return json === undefined ? undefined : readCalls(json, tools);
    }
    const name = cursor.name();
    cursor.space();
    if (cursor.word('[CALL_ID]')) cursor.name();
    cursor.space();
    cursor.word('[ARGS]');
    cursor.space();
    const json = tools.has(name) ? cursor.json() : undefined;
    const call = json === undefined ? undefined : toToolCall(name, json, tools);
    return call && [call];
  },
};

export const mistral: ToolCallFamily = {
  name: 'mistral',
  matches: (template) => template.includes('[TOOL_CALLS]'),
  forms: [form],
};
