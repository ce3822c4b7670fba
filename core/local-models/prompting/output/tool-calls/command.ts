/** Command R and its successors: a JSON list between `<|START_ACTION|>` tags, or in a code fence after `Action:`. */
import type { CallForm, ToolCallFamily } from './family.ts';
import { readCalls } from './read-call.ts';
import { taggedJson } from './tagged-json.ts';

const fenced: CallForm = {
  open: 'Action:',
  read(cursor, tools) {
    cursor.space();
    const fence = cursor.word('```json');
    cursor.space();
    const json = cursor.json();
    cursor.space();
    if (json === undefined || (fence && !cursor.word('```') && !cursor.ended)) return undefined;
    return readCalls(json, tools);
  },
};

export const command: ToolCallFamily = {
  name: 'command',
  matches: (template) => /START_ACTION|START_OF_TURN_TOKEN/.test(template),
  forms: [taggedJson('<|START_ACTION|>', '<|END_ACTION|>'), fenced],
};
