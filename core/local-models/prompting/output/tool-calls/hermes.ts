/**
 * Calls between `<tool_call>` tags: JSON (Hermes, Qwen, Granite 4), Qwen3-Coder's `<function=…>` with one tag for each
 * parameter, or GLM's name with `<arg_key>` and `<arg_value>`.
 */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import type { CallForm, KnownTools, ToolCallFamily } from './parser.ts';
import { callOf, readCalls } from './read-call.ts';
import { typedValue } from './typed-value.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

const tagged: CallForm = {
  open: OPEN,
  read(cursor, tools) {
    cursor.space();
    const first = cursor.peek();
    let calls: ToolCall[] | undefined;
    if (first === '{' || first === '[') {
      const json = cursor.json();
      calls = json === undefined ? undefined : readCalls(json, tools);
    } else if (cursor.word('<function=')) calls = readFunction(cursor, tools);
    else calls = readPairs(cursor, tools);
    if (!calls) return undefined;
    const end = cursor.at;
    cursor.space();
    // Some models end their answer instead of closing the tag.
    if (!cursor.word(CLOSE)) cursor.at = end;
    return calls;
  },
};

/** Some models leave out the tag around it. */
const bareFunction: CallForm = { open: '<function=', read: readFunction };

export const hermes: ToolCallFamily = {
  name: 'hermes',
  matches: (template) => template.includes(OPEN),
  forms: [tagged, bareFunction],
};

function readFunction(cursor: Cursor, tools: KnownTools): ToolCall[] | undefined {
  const name = cursor.until('>')?.trim();
  if (name === undefined || !tools.has(name)) return undefined;
  cursor.space();
  // Llama's custom calls have JSON between the same tags.
  if (cursor.peek() === '{') {
    const json = cursor.json();
    cursor.space();
    const call = json === undefined ? undefined : callOf(name, json, tools);
    return call && cursor.word('</function>') ? [call] : undefined;
  }
  const args: Record<string, unknown> = {};
  for (;;) {
    cursor.space();
    if (cursor.word('</function>')) return [{ name, arguments: args }];
    if (!cursor.word('<parameter=')) return undefined;
    const key = cursor.until('>')?.trim();
    if (key === undefined) return undefined;
    const value = readParameter(cursor);
    if (value === undefined) return undefined;
    args[key] = typedValue(value, tools.parameter(name, key));
  }
}

/** A value may hold the end tag itself: the one that ends it is followed by another tag of the call. */
function readParameter(cursor: Cursor): string | undefined {
  const start = cursor.at;
  for (;;) {
    if (cursor.until('</parameter>') === undefined) return undefined;
    const value = cursor.text.slice(start, cursor.at - '</parameter>'.length);
    const after = cursor.at;
    cursor.space();
    const next = cursor.at;
    if (cursor.anyWord(['</function>', '<parameter='])) {
      cursor.at = next;
      return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
    }
    cursor.at = after;
  }
}

/** `name`, then `<arg_key>k</arg_key>` and `<arg_value>v</arg_value>` by turns. */
function readPairs(cursor: Cursor, tools: KnownTools): ToolCall[] | undefined {
  const name = cursor.name();
  if (!tools.has(name)) return undefined;
  const args: Record<string, unknown> = {};
  for (;;) {
    cursor.space();
    if (!cursor.word('<arg_key>')) break;
    const key = cursor.until('</arg_key>')?.trim();
    cursor.space();
    if (key === undefined || !cursor.word('<arg_value>')) return undefined;
    const value = cursor.until('</arg_value>');
    if (value === undefined) return undefined;
    args[key] = typedValue(value, tools.parameter(name, key));
  }
  const end = cursor.at;
  if (!cursor.word(CLOSE))
    return cursor.ended && cursor.at >= cursor.text.length ? [{ name, arguments: args }] : undefined;
  cursor.at = end;
  return [{ name, arguments: args }];
}
