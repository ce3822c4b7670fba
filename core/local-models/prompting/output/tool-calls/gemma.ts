/**
 * Gemma: since Gemma 4 (and in FunctionGemma) tokens of their own around `call:name{key:value}`, whose strings stand
 * between tokens too; before, Python or JSON in a fence, as its makers' guide asks for it.
 */

import { bareJson, fenced } from './bare-json.ts';
import type { Cursor } from './cursor.ts';
import { pythonForms } from './llama.ts';
import type { CallForm, KnownTools, ToolCallFamily } from './parser.ts';
import { pythonCall, pythonCalls } from './python-call.ts';

const MAX_DEPTH = 100;
const NO_VALUE = Symbol('no value');
/** What strings stand between. */
const QUOTES = ['<|"|>', '<escape>', '"'];

const tokens = (open: string, close: string): CallForm => ({
  open,
  read(cursor, tools) {
    cursor.space();
    if (!cursor.word('call:')) return undefined;
    const name = cursor.name();
    if (!tools.has(name) || !cursor.word('{')) return undefined;
    const args = readObject(cursor, 0);
    if (args === NO_VALUE) return undefined;
    const end = cursor.at;
    cursor.space();
    if (!cursor.word(close)) cursor.at = end;
    return [{ name, arguments: args as Record<string, unknown> }];
  },
});

/** A fence with one call a line, or a list of them. */
const python = (open: string): CallForm => ({
  open,
  read(cursor: Cursor, tools: KnownTools) {
    cursor.space();
    if (cursor.word('[')) {
      const calls = pythonCalls(cursor, tools);
      cursor.space();
      return calls && (cursor.word('```') || cursor.ended) ? calls : undefined;
    }
    const calls = [];
    for (;;) {
      cursor.space();
      if (calls.length > 0 && (cursor.word('```') || (cursor.ended && cursor.peek() === undefined)))
        return calls;
      const printed = cursor.word('print(');
      const call = pythonCall(cursor, tools);
      if (!call) return undefined;
      if (printed && !cursor.word(')')) return undefined;
      calls.push(call);
    }
  },
});

export const gemma: ToolCallFamily = {
  name: 'gemma',
  matches: (template) => /<start_of_turn>|<start_function_call>|<\|tool_call>|<\|turn>/.test(template),
  forms: [
    tokens('<|tool_call>', '<tool_call|>'),
    tokens('<start_function_call>', '<end_function_call>'),
    python('```tool_code'),
    python('```python'),
    { ...fenced('```tool_call'), anchored: false },
    { ...fenced('```json'), anchored: false },
    ...bareJson.forms.filter(({ open }) => open !== '```json'),
    ...pythonForms,
  ],
  separator: /[\s,;]/,
};

function readObject(cursor: Cursor, depth: number): unknown {
  const entries: [string, unknown][] = [];
  for (;;) {
    cursor.space();
    if (cursor.word('}')) return Object.fromEntries(entries);
    if (entries.length > 0) {
      if (!cursor.word(',')) return NO_VALUE;
      cursor.space();
    }
    const quoted = readString(cursor);
    const key = quoted === undefined ? cursor.name() : quoted;
    cursor.space();
    if (typeof key !== 'string' || key === '' || !cursor.word(':')) return NO_VALUE;
    const value = readValue(cursor, depth + 1);
    if (value === NO_VALUE) return NO_VALUE;
    entries.push([key, value]);
  }
}

function readValue(cursor: Cursor, depth: number): unknown {
  if (depth > MAX_DEPTH) return NO_VALUE;
  cursor.space();
  const text = readString(cursor);
  if (text !== undefined) return text;
  if (cursor.word('{')) return readObject(cursor, depth);
  if (cursor.word('[')) return readList(cursor, depth);
  const start = cursor.at;
  while (!/[,\]}]/.test(cursor.peek() ?? ',')) cursor.at++;
  const bare = cursor.text.slice(start, cursor.at).trim();
  try {
    return JSON.parse(bare);
  } catch {
    return bare === '' || cursor.peek() === undefined ? NO_VALUE : bare;
  }
}

function readList(cursor: Cursor, depth: number): unknown {
  const items: unknown[] = [];
  for (;;) {
    cursor.space();
    if (cursor.word(']')) return items;
    if (items.length > 0 && !cursor.word(',')) return NO_VALUE;
    const item = readValue(cursor, depth + 1);
    if (item === NO_VALUE) return NO_VALUE;
    items.push(item);
  }
}

/** undefined = no string stands here. */
function readString(cursor: Cursor): unknown {
  const quote = QUOTES.find((word) => cursor.word(word));
  if (quote === undefined) return undefined;
  if (quote !== '"') return cursor.until(quote) ?? NO_VALUE;
  const start = cursor.at - 1;
  for (let character = cursor.peek(); character !== '"'; character = cursor.peek()) {
    if (character === undefined) return NO_VALUE;
    cursor.at += character === '\\' ? 2 : 1;
  }
  cursor.at++;
  try {
    return JSON.parse(cursor.text.slice(start, cursor.at));
  } catch {
    return NO_VALUE;
  }
}
