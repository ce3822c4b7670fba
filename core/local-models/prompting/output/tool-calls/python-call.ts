/** Calls written as Python: `name(key="value", other=[1, 2], flag=True)`. */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import type { KnownTools } from './parser.ts';

const MAX_DEPTH = 100;
const NO_VALUE = Symbol('no value');
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '0': '\0' };
const CONSTANTS: Record<string, unknown> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
};

/** One call. undefined = there is none of a known tool. */
export function pythonCall(cursor: Cursor, tools: KnownTools): ToolCall | undefined {
  const written = cursor.name();
  const name = tools.has(written) ? written : written.replace(/\.call$/, '');
  if (!tools.has(name)) return undefined;
  cursor.space();
  if (!cursor.word('(')) return undefined;
  const args: Record<string, unknown> = {};
  const order = tools.parameters(name);
  for (let position = 0; ; position++) {
    cursor.space();
    if (cursor.word(')')) return { name, arguments: args };
    if (position > 0) {
      if (!cursor.word(',')) return undefined;
      cursor.space();
      if (cursor.word(')')) return { name, arguments: args };
    }
    const key = keyword(cursor) ?? order[position];
    if (key === undefined) return undefined;
    const value = pythonValue(cursor, 0);
    if (value === NO_VALUE) return undefined;
    args[key] = value;
  }
}

/** `[name(…), other(…)]`, behind the bracket that opens it. */
export function pythonCalls(cursor: Cursor, tools: KnownTools): ToolCall[] | undefined {
  const calls: ToolCall[] = [];
  for (;;) {
    cursor.space();
    const call = pythonCall(cursor, tools);
    if (!call) return undefined;
    calls.push(call);
    cursor.space();
    if (cursor.word(']')) return calls;
    if (!cursor.word(',')) return undefined;
  }
}

/** `name=`, unless it is a positional value that stands here. */
function keyword(cursor: Cursor): string | undefined {
  const start = cursor.at;
  const name = cursor.name();
  cursor.space();
  if (/^[\p{L}_]/u.test(name) && cursor.word('=')) {
    cursor.space();
    return name;
  }
  cursor.at = start;
  return undefined;
}

function pythonValue(cursor: Cursor, depth: number): unknown {
  if (depth > MAX_DEPTH) return NO_VALUE;
  const first = cursor.peek();
  if (first === '"' || first === "'") return pythonString(cursor, first);
  if (cursor.word('[')) return pythonList(cursor, ']', depth);
  if (cursor.word('(')) return pythonList(cursor, ')', depth);
  if (cursor.word('{')) return pythonDict(cursor, depth);
  const sign = cursor.word('-') ? '-' : '';
  if (sign === '') cursor.word('+');
  const word = cursor.name();
  if (sign === '' && Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word];
  return /^(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(word) ? Number(sign + word) : NO_VALUE;
}

function pythonString(cursor: Cursor, quote: string): unknown {
  const triple = quote.repeat(3);
  const end = cursor.word(triple) ? triple : quote;
  if (end === quote) cursor.at++;
  let text = '';
  for (;;) {
    if (cursor.word(end)) return text;
    const character = cursor.peek();
    if (character === undefined) return NO_VALUE;
    cursor.at++;
    if (character !== '\\') {
      text += character;
      continue;
    }
    const escaped = cursor.peek();
    if (escaped === undefined) return NO_VALUE;
    cursor.at++;
    const length = { x: 2, u: 4, U: 8 }[escaped];
    if (length === undefined) {
      text +=
        escaped === '\n' ? '' : (ESCAPES[escaped] ?? (/[\\'"]/.test(escaped) ? escaped : `\\${escaped}`));
      continue;
    }
    let digits = '';
    for (; digits.length < length && /[0-9a-fA-F]/.test(cursor.peek() ?? ''); cursor.at++)
      digits += cursor.peek();
    const code = Number.parseInt(digits, 16);
    if (digits.length < length || code > 0x10ffff) return NO_VALUE;
    text += length === 4 ? String.fromCharCode(code) : String.fromCodePoint(code);
  }
}

function pythonList(cursor: Cursor, close: string, depth: number): unknown {
  const items: unknown[] = [];
  for (;;) {
    cursor.space();
    if (cursor.word(close)) return items;
    if (items.length > 0) {
      if (!cursor.word(',')) return NO_VALUE;
      cursor.space();
      if (cursor.word(close)) return items;
    }
    const item = pythonValue(cursor, depth + 1);
    if (item === NO_VALUE) return NO_VALUE;
    items.push(item);
  }
}

function pythonDict(cursor: Cursor, depth: number): unknown {
  const entries: [string, unknown][] = [];
  for (;;) {
    cursor.space();
    if (cursor.word('}')) return Object.fromEntries(entries);
    if (entries.length > 0) {
      if (!cursor.word(',')) return NO_VALUE;
      cursor.space();
      if (cursor.word('}')) return Object.fromEntries(entries);
    }
    const key = pythonValue(cursor, depth + 1);
    cursor.space();
    if (key === NO_VALUE || typeof key === 'object' || !cursor.word(':')) return NO_VALUE;
    cursor.space();
    const value = pythonValue(cursor, depth + 1);
    if (value === NO_VALUE) return NO_VALUE;
    entries.push([String(key), value]);
  }
}
