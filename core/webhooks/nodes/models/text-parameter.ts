import { isObject } from '#core/base';
import type { Item, Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { text } from '../shared/parameters.ts';

/** Fields that hold the text of an item when nothing else is said, in this order. */
const FIELDS = ['text', 'prompt', 'message', 'question', 'input', 'content', 'query', 'output', 'data'];

export const textParameter: Parameter = text('text', 'Text', {
  rows: 3,
  placeholder: 'Found in the item by itself: text, prompt, message, question …',
  description:
    'Empty: the field text, prompt, message, question, input, content, query, output or data of the item (or of the body of a webhook call), a body that is text, or else the whole item as JSON.',
});

/** What the node works on. Throws `NodeError` when there is nothing. */
export async function textOf(context: NodeContext, item: Item, index: number): Promise<string> {
  const set = await context.parameter('text', index);
  const text = set === '' || set === undefined || set === null ? foundIn(item.json) : asText(set);
  if (text.trim() !== '') return text;
  throw new NodeError('There is no text to work on', {
    itemIndex: index,
    description: 'Send a field "text" with the call, or set Text in the node.',
  });
}

function foundIn(json: Item['json']): string {
  // The item of a webhook call: what was sent is in its body, or behind the question mark of its address.
  const sent = 'body' in json && isObject(json.headers) ? [json.body, json.query] : [json];
  for (const place of sent) {
    if (typeof place === 'string' && place.trim() !== '') return place;
    if (!isObject(place)) continue;
    const field = FIELDS.find((name) => typeof place[name] === 'string' && place[name].trim() !== '');
    if (field !== undefined) return place[field] as string;
  }
  const whole = sent.find((place) => isObject(place) && Object.keys(place).length > 0);
  return whole === undefined ? '' : asText(whole);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
