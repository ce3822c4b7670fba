/** Sends requests to other servers. */

import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { type Answer, answerOptions, failureOf, itemsOf } from './http-request/answer.ts';
import { authenticationOf, GENERIC_TYPES } from './http-request/auth.ts';
import { exchange, transferOf } from './http-request/exchange.ts';
import { endsPages, isPaged, pages } from './http-request/pagination.ts';
import { httpRequestParameters } from './http-request/parameters.ts';
import { type Described, describeRequest } from './http-request/request.ts';

/** Requests under way at once, where the node does not say. */
const AT_ONCE = 50;

export const httpRequest: NodeType = {
  name: 'n8n-nodes-base.httpRequest',
  label: 'HTTP Request',
  description: 'Sends requests to other servers and goes on with what they answer.',
  group: 'network',
  versions: [3, 4, 4.1, 4.2, 4.3, 4.4],
  inputs: 1,
  outputs: ['main'],
  credentials: GENERIC_TYPES.map((type) => ({
    type,
    required: true,
    show: { authentication: ['genericCredentialType'], genericAuthType: [type] },
  })),
  parameters: httpRequestParameters,
  async execute(context) {
    const items = context.items();
    const batch = await batching(context);
    const made: Item[][] = [];
    for (let from = 0; from < items.length; from += batch.size) {
      if (from > 0 && batch.pause > 0) await context.sleep(batch.pause);
      context.signal.throwIfAborted();
      const part = items.slice(from, from + batch.size);
      const outcomes = await Promise.allSettled(part.map((item, at) => oneItem(context, item, from + at)));
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') made.push(outcome.value);
        else made.push([failedItem(context, outcome.reason, from + at)]);
      }
    }
    return [made.flat()];
  },
};

async function oneItem(context: NodeContext, item: Item, index: number): Promise<Item[]> {
  const described = await describeRequest(context, item, index);
  const [auth, transfer, options] = [
    await authenticationOf(context),
    await transferOf(context, index),
    await answerOptions(context, index),
  ];
  const ask = async (request: Described): Promise<Answer> => {
    const answer = await exchange(request, auth, transfer, options.responseFormat, context);
    const isError = answer.statusCode >= 400;
    if (isError && !options.neverError && !(await endsPages(context, index, answer.statusCode))) {
      throw failureOf(answer);
    }
    return answer;
  };
  const from = { item, index, url: described.url };
  if (!isPaged(context)) return itemsOf(await ask(described), options, context, from);
  const made: Item[] = [];
  for await (const page of pages(described, ask, context, index)) {
    made.push(...(await itemsOf(page, options, context, from)));
  }
  return made;
}

async function batching(context: NodeContext): Promise<{ size: number; pause: number }> {
  const set = await context.parameter<{ batchSize?: number; batchInterval?: number } | undefined>(
    'options.batching.batch',
    0,
  );
  if (!set) return { size: AT_ONCE, pause: 0 };
  const size = Number(set.batchSize ?? 50);
  return {
    size: size >= 1 ? Math.floor(size) : AT_ONCE,
    pause: Math.max(0, Number(set.batchInterval ?? 1000)),
  };
}
