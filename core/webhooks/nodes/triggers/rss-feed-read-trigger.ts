/** Starts a published workflow with the new entries of a feed. */
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { fetchFeed } from '../documents/feeds/fetch-feed.ts';
import { text } from '../shared/parameters.ts';
import { ruleIssues, timesParameter, timesRules } from './old-schedules/poll-times.ts';

export const rssFeedReadTrigger: NodeType = {
  name: 'n8n-nodes-base.rssFeedReadTrigger',
  label: 'RSS Feed Trigger',
  description: 'Starts the workflow with the new entries of a feed.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  parameters: [
    timesParameter('pollTimes', 'Poll Times', { item: [{ mode: 'everyMinute' }] }),
    text('feedUrl', 'Feed URL', { required: true, placeholder: 'https://example.com/feed.xml' }),
  ],
  issues: ({ get }) => ruleIssues(timesRules(get('pollTimes'))),
  // In the editor the newest entry shows the form of the items.
  execute: async (context) => [(await entriesOf(context)).slice(0, 1).map((json) => ({ json }))],
  async poll(context, memory) {
    const entries = await entriesOf(context);
    const last = Date.parse(String(memory.lastItemDate ?? '')) || context.now();
    const fresh = entries.filter((entry) => dateOf(entry) > last);
    const newest = Math.max(last, ...fresh.map(dateOf));
    memory.lastItemDate = new Date(newest).toISOString();
    return fresh.map((json) => ({ json }));
  },
};

async function entriesOf(context: NodeContext): Promise<JsonObject[]> {
  const url = String((await context.parameter('feedUrl', 0)) ?? '').trim();
  if (!URL.canParse(url)) throw new NodeError('The provided "URL" is not valid!');
  return fetchFeed(context, { url });
}

const dateOf = ({ isoDate }: JsonObject) => Date.parse(String(isoDate ?? '')) || 0;
