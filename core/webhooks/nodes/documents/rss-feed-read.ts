/** Reads the entries of news feeds. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { commaList } from '../shared/comma-list.ts';
import { flag, options, text } from '../shared/parameters.ts';
import { fetchFeed } from './feeds/fetch-feed.ts';

export const rssFeedRead: NodeType = {
  name: 'n8n-nodes-base.rssFeedRead',
  label: 'RSS Read',
  description: 'Reads the entries of an RSS or Atom feed.',
  group: 'network',
  versions: [1, 1.1, 1.2],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    text('url', 'URL', { required: true, placeholder: 'https://example.com/feed.xml' }),
    options({
      fields: [
        text('customFields', 'Custom Fields', { description: 'Names of elements, separated by commas.' }),
        flag('ignoreSSL', 'Ignore SSL Issues'),
      ],
    }),
  ],
  async execute(context) {
    const items: Item[] = [];
    const inputs = context.items();
    // Version 1 reads once, for all items.
    const isOnce = context.version < 1.1;
    for (let index = 0; index < (isOnce ? Math.min(1, inputs.length) : inputs.length); index++) {
      context.signal.throwIfAborted();
      const pairedItem = isOnce ? inputs.map((_, item) => ({ item })) : [{ item: index }];
      try {
        for (const json of await entriesFor(context, index)) items.push({ json, pairedItem });
      } catch (error) {
        items.push(failedItem(context, error, index));
      }
    }
    return [items];
  },
};

async function entriesFor(context: NodeContext, index: number): Promise<JsonObject[]> {
  const url = String((await context.parameter('url', index)) ?? '').trim();
  if (url === '') throw new NodeError('The parameter "URL" has to be set!', { itemIndex: index });
  if (!URL.canParse(url)) throw new NodeError('The provided "URL" is not valid!', { itemIndex: index });
  const chosen = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  return fetchFeed(context, {
    url,
    ...(context.version < 1.2 && { accept: 'application/rss+xml' }),
    allowAnyCertificate: chosen.ignoreSSL === true,
    custom: commaList(chosen.customFields),
  });
}
