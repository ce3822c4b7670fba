/** Calls as bare JSON, perhaps in a fence: the answer begins with it, and more may follow behind the first. */
import type { CallForm, ToolCallFamily } from './parser.ts';
import { readCalls } from './read-call.ts';

export const bareJson: ToolCallFamily = {
  name: 'json',
  matches: () => true,
  forms: [jsonAt('{'), jsonAt('['), fenced('```json'), fenced('```\n')],
  separator: /[\s,;]/,
};

/** Calls that begin with a bracket. */
export function jsonAt(open: '{' | '['): CallForm {
  return {
    open,
    anchored: true,
    read(cursor, tools) {
      cursor.at -= open.length;
      const json = cursor.json();
      return json === undefined ? undefined : readCalls(json, tools);
    },
  };
}

/** The same in a code fence. */
export function fenced(open: string): CallForm {
  return {
    open,
    anchored: true,
    read(cursor, tools) {
      cursor.space();
      const json = cursor.json();
      const calls = json === undefined ? undefined : readCalls(json, tools);
      cursor.space();
      return calls && (cursor.word('```') || cursor.ended) ? calls : undefined;
    },
  };
}
