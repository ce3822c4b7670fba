import { isObject } from '#core/base';
import type { Item, Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { text } from '../shared/parameters.ts';

/** Fields of an item that are taken as its text, in this order. */
const TEXT_FIELDS = ['text', 'prompt', 'message', 'question', 'input', 'content', 'query', 'output', 'data'];

export const textParameter: Parameter = text('text', 'Text', {
  rows: 3,
  placeholder: 'Read from the item: text, prompt, message, question …',
  description:
    'Empty: the field text, prompt, message, question, input, content, query, output or data of the item (or of the body of a webhook call), a body that is text, or else the item as JSON.',
});

/** The text of the node's parameter, or the item's own text. @throws NodeError when both are empty */
export async function requireText(context: NodeContext, item: Item, index: number): Promise<string> {
  const value = await context.parameter('text', index);
  const isEmpty = value === '' || value === undefined || value === null;
  const text = isEmpty ? textIn(item.json) : asText(value);
  if (text.trim() !== '') return text;
  throw new NodeError('There is no text to work on', {
    itemIndex: index,
    description: 'Send a field "text" with the call, or set Text in the node.',
  });
}

function textIn(json: Item['json']): string {
  // The item of a webhook call has its data in the body or in the query.
  const isCall = 'body' in json && isObject(json.headers);
  const sources = isCall ? [json.body, json.query] : [json];
  for (const source of sources) {
    if (typeof source === 'string' && source.trim() !== '') return source;
    if (!isObject(source)) continue;
    const field = TEXT_FIELDS.find((name) => typeof source[name] === 'string' && source[name].trim() !== '');
    if (field !== undefined) return source[field] as string;
  }
  const object = sources.find((source) => isObject(source) && Object.keys(source).length > 0);
  return object === undefined ? '' : asText(object);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
