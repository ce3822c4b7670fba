/** Calls as bare JSON or JSON in a code fence. The answer begins with them. */
import type { CallForm, ToolCallFamily } from './family.ts';
import { readCalls } from './read-call.ts';

export const bareJson: ToolCallFamily = {
  name: 'json',
  matches: () => true,
  forms: [jsonAt('{'), jsonAt('['), fenced('```json'), fenced('```\n')],
  separator: /[\s,;]/,
};

/** A call that begins with this bracket. */
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

/** Calls as JSON in a code fence. */
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
