/** The notation of Gemma's arguments: `{key:<escape>text<escape>,list:[1,true],bare:word}`. */
import type { Cursor } from './cursor.ts';
import { type ArgumentValue, MAX_DEPTH, readCommaSeparated } from './read-items.ts';

/** Marks that open and close a string. Gemma 4, FunctionGemma, JSON. */
const QUOTES = ['<|"|>', '<escape>', '"'];

/** Reads an object after its opening brace. */
export function readGemmaObject(cursor: Cursor, depth = 0): Record<string, unknown> | undefined {
  const readEntry = (): [string, ArgumentValue] | undefined => {
    const quote = readQuote(cursor);
    const key = quote === undefined ? cursor.name() : readString(cursor, quote);
    cursor.space();
    if (!key || !cursor.word(':')) return undefined;
    const value = readValue(cursor, depth + 1);
    return value === undefined ? undefined : [key, value];
  };
  const entries = readCommaSeparated(cursor, '}', readEntry, false);
  return entries && Object.fromEntries(entries);
}

function readValue(cursor: Cursor, depth: number): ArgumentValue | undefined {
  if (depth > MAX_DEPTH) return undefined;
  cursor.space();
  const quote = readQuote(cursor);
  if (quote !== undefined) return readString(cursor, quote);
  if (cursor.word('{')) return readGemmaObject(cursor, depth);
  if (cursor.word('[')) return readCommaSeparated(cursor, ']', () => readValue(cursor, depth + 1), false);
  const start = cursor.at;
  while (!/[,\]}]/.test(cursor.peek() ?? ',')) cursor.at++;
  const bare = cursor.text.slice(start, cursor.at).trim();
  try {
    return JSON.parse(bare);
  } catch {
    return bare === '' || cursor.peek() === undefined ? undefined : bare;
  }
}

function readQuote(cursor: Cursor): string | undefined {
  return QUOTES.find((mark) => cursor.word(mark));
}

/** Reads a string after its opening mark. */
function readString(cursor: Cursor, quote: string): string | undefined {
  if (quote !== '"') return cursor.until(quote);
  const start = cursor.at - 1;
  for (let character = cursor.peek(); character !== '"'; character = cursor.peek()) {
    if (character === undefined) return undefined;
    cursor.at += character === '\\' ? 2 : 1;
  }
  cursor.at++;
  try {
    return JSON.parse(cursor.text.slice(start, cursor.at));
  } catch {
    return undefined;
  }
}
