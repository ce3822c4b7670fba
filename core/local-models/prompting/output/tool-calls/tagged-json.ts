/** Calls as JSON between any two tags, anywhere in the answer. */
import type { CallForm } from './parser.ts';
import { readCalls } from './read-call.ts';

/** `close`: tags that may stand behind the JSON. */
export function taggedJson(open: string, ...close: string[]): CallForm {
  return {
    open,
    read(cursor, tools) {
      cursor.space();
      const json = cursor.json();
      const calls = json === undefined ? undefined : readCalls(json, tools);
      if (!calls || close.length === 0) return calls;
      const end = cursor.at;
      cursor.space();
      if (!cursor.anyWord(close)) cursor.at = end;
      return calls;
    },
  };
}
