/** Calls written as Python: `name(key="value", other=[1, 2], flag=True)`. */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import { type ArgumentValue, MAX_DEPTH, readCommaSeparated } from './read-items.ts';
import type { RequestTools } from './request-tools.ts';

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '0': '\0' };
/** Number of hexadecimal digits that follow each escape. */
const HEX_DIGITS: Record<string, number> = { x: 2, u: 4, U: 8 };
const CONSTANTS: Record<string, ArgumentValue> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
};

/** Reads one call. Undefined: there is no call of one of the request's tools. */
export function pythonCall(cursor: Cursor, tools: RequestTools): ToolCall | undefined {
  const identifier = cursor.name();
  const name = tools.has(identifier) ? identifier : identifier.replace(/\.call$/, '');
  if (!tools.has(name)) return undefined;
  cursor.space();
  if (!cursor.word('(')) return undefined;
  const parameters = tools.parameters(name);
  const readArgument = (index: number): [string, ArgumentValue] | undefined => {
    const key = readKeyword(cursor) ?? parameters[index];
    const value = key === undefined ? undefined : readValue(cursor, 0);
    return key === undefined || value === undefined ? undefined : [key, value];
  };
  const args = readCommaSeparated(cursor, ')', readArgument, true);
  return args && { name, arguments: Object.fromEntries(args) };
}

/** Reads `name(…), other(…)]`: a list of calls after its opening bracket. Undefined: it is no such list, or empty. */
export function pythonCalls(cursor: Cursor, tools: RequestTools): ToolCall[] | undefined {
  const calls = readCommaSeparated(cursor, ']', () => pythonCall(cursor, tools), false);
  return calls?.length ? calls : undefined;
}

/** Reads `name=`. Undefined: a positional argument follows. */
function readKeyword(cursor: Cursor): string | undefined {
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

function readValue(cursor: Cursor, depth: number): ArgumentValue | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const first = cursor.peek();
  if (first === '"' || first === "'") return readString(cursor, first);
  if (cursor.word('[')) return readCommaSeparated(cursor, ']', () => readValue(cursor, depth + 1), true);
  if (cursor.word('(')) return readCommaSeparated(cursor, ')', () => readValue(cursor, depth + 1), true);
  if (cursor.word('{')) return readDict(cursor, depth);
  const sign = cursor.word('-') ? '-' : '';
  if (sign === '') cursor.word('+');
  const word = cursor.name();
  if (sign === '' && Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word];
  return /^(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(word) ? Number(sign + word) : undefined;
}

function readString(cursor: Cursor, quote: string): string | undefined {
  const triple = quote.repeat(3);
  const end = cursor.word(triple) ? triple : quote;
  if (end === quote) cursor.at++;
  let text = '';
  for (;;) {
    if (cursor.word(end)) return text;
    const character = cursor.peek();
    if (character === undefined) return undefined;
    cursor.at++;
    const piece = character === '\\' ? readEscape(cursor) : character;
    if (piece === undefined) return undefined;
    text += piece;
  }
}

/** Reads an escape after its backslash. Like Python, keeps the backslash of an unknown one. */
function readEscape(cursor: Cursor): string | undefined {
  const escaped = cursor.peek();
  if (escaped === undefined) return undefined;
  cursor.at++;
  const length = HEX_DIGITS[escaped];
  if (length === undefined) {
    if (escaped === '\n') return '';
    return ESCAPES[escaped] ?? (/[\\'"]/.test(escaped) ? escaped : `\\${escaped}`);
  }
  let digits = '';
  for (; digits.length < length && /[0-9a-fA-F]/.test(cursor.peek() ?? ''); cursor.at++)
    digits += cursor.peek();
  const code = Number.parseInt(digits, 16);
  if (digits.length < length || code > 0x10ffff) return undefined;
  // `\ud83d` is half of a surrogate pair: the other half follows as an escape of its own.
  return length === 4 ? String.fromCharCode(code) : String.fromCodePoint(code);
}

function readDict(cursor: Cursor, depth: number): Record<string, unknown> | undefined {
  const readEntry = (): [string, ArgumentValue] | undefined => {
    const key = readValue(cursor, depth + 1);
    cursor.space();
    if (key === undefined || typeof key === 'object' || !cursor.word(':')) return undefined;
    cursor.space();
    const value = readValue(cursor, depth + 1);
    return value === undefined ? undefined : [String(key), value];
  };
  const entries = readCommaSeparated(cursor, '}', readEntry, true);
  return entries && Object.fromEntries(entries);
}
