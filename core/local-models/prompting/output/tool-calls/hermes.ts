/**
 * Calls between `<tool_call>` tags: JSON (Hermes, Qwen, Granite 4), Qwen3-Coder's `<function=…>` with a tag for each
 * parameter, or GLM's name followed by `<arg_key>` and `<arg_value>`.
 */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import type { CallForm, ToolCallFamily } from './family.ts';
import { readCalls, toToolCall } from './read-call.ts';
import type { RequestTools } from './request-tools.ts';
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
    cursor.skipAny([CLOSE]);
    return calls;
  },
};

/** Some models leave out the surrounding tag. */
const bareFunction: CallForm = { open: '<function=', read: readFunction };

export const hermes: ToolCallFamily = {
  name: 'hermes',
  matches: (template) => template.includes(OPEN),
  forms: [tagged, bareFunction],
};

function readFunction(cursor: Cursor, tools: RequestTools): ToolCall[] | undefined {
  const name = cursor.until('>')?.trim();
  if (name === undefined || !tools.has(name)) return undefined;
  cursor.space();
  // Llama writes JSON between the same tags.
  if (cursor.peek() === '{') {
    const json = cursor.json();
    cursor.space();
    const call = json === undefined ? undefined : toToolCall(name, json, tools);
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

/** Reads a value, which may contain the end tag itself: the true end tag is followed by another tag of the call. */
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

/** Reads GLM's notation: a name, then pairs of `<arg_key>k</arg_key>` and `<arg_value>v</arg_value>`. */
function readPairs(cursor: Cursor, tools: RequestTools): ToolCall[] | undefined {
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
  const isComplete = cursor.word(CLOSE) || (cursor.ended && cursor.at >= cursor.text.length);
  // The caller reads the closing tag.
  cursor.at = end;
  return isComplete ? [{ name, arguments: args }] : undefined;
}
