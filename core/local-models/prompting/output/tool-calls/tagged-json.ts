import type { CallForm } from './family.ts';
import { readCalls } from './read-call.ts';

/**
 * Calls as JSON between two tags, anywhere in the answer.
 * @param close tags that may follow the JSON
 */
export function taggedJson(open: string, ...close: string[]): CallForm {
  return {
    open,
    read(cursor, tools) {
      cursor.space();
      const json = cursor.json();
      const calls = json === undefined ? undefined : readCalls(json, tools);
      if (calls && close.length > 0) cursor.skipAny(close);
      return calls;
    },
  };
}
