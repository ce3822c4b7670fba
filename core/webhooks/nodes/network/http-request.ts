/** Sends requests to other servers. */

import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import {
  authenticationIssues,
  GENERIC_TYPES,
  PREDEFINED_TYPES,
  readAuthentication,
} from './http-request/authentication.ts';
import { describeRequest, type RequestDescription } from './http-request/describe-request.ts';
import { legacyRequestForItem, readLegacyBatching } from './http-request/legacy.ts';
import { LEGACY_AUTHENTICATION } from './http-request/legacy-parameters.ts';
import { endsPagination, fetchPages, isPaginated } from './http-request/pagination.ts';
import { httpRequestParameters } from './http-request/parameters.ts';
import {
  type ReceivedResponse,
  readResponseOptions,
  responseError,
  responseItems,
} from './http-request/response.ts';
import { readTransferOptions, sendRequest } from './http-request/send-request.ts';

/** Requests that run at the same time, where the node sets no batches. */
const DEFAULT_BATCH = 50;

export const httpRequest: NodeType = {
  name: 'n8n-nodes-base.httpRequest',
  label: 'HTTP Request',
  description: 'Sends requests to other servers and outputs their responses.',
  group: 'network',
  versions: [1, 2, 3, 4, 4.1, 4.2, 4.3, 4.4],
  inputs: 1,
  outputs: ['main'],
  credentials: [
    ...GENERIC_TYPES.map((type) => ({
      type,
      required: true,
      show: { authentication: ['genericCredentialType'], genericAuthType: [type] },
    })),
    ...PREDEFINED_TYPES.map((type) => ({
      type,
      required: true,
      show: { authentication: ['predefinedCredentialType'], nodeCredentialType: [type] },
    })),
    ...Object.entries(LEGACY_AUTHENTICATION).map(([authentication, type]) => ({
      type,
      required: true,
      versions: { to: 1 },
      show: { authentication: [authentication] },
    })),
  ],
  parameters: httpRequestParameters,
  issues: authenticationIssues,
  async execute(context) {
    const items = context.items();
    const isLegacy = context.version < 3;
    const batch = await (isLegacy ? readLegacyBatching : readBatching)(context);
    const request = isLegacy ? legacyRequestForItem : requestForItem;
    const outputItems: Item[] = [];
    for (let from = 0; from < items.length; from += batch.size) {
      if (from > 0 && batch.pause > 0) await context.sleep(batch.pause);
      context.signal.throwIfAborted();
      const batchItems = items.slice(from, from + batch.size);
      const outcomes = await Promise.allSettled(
        batchItems.map((item, position) => request(context, item, from + position)),
      );
      for (const [position, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') outputItems.push(...outcome.value);
        else outputItems.push(failedItem(context, outcome.reason, from + position));
      }
    }
    return [outputItems];
  },
};

async function requestForItem(context: NodeContext, item: Item, index: number): Promise<Item[]> {
  const description = await describeRequest(context, item, index);
  const authentication = await readAuthentication(context);
  const transfer = await readTransferOptions(context, index);
  const options = await readResponseOptions(context, index);
  const request = async (changed: RequestDescription): Promise<ReceivedResponse> => {
    const response = await sendRequest(changed, authentication, transfer, options.responseFormat, context);
    const isError = response.statusCode >= 400;
    if (isError && !options.neverError && !(await endsPagination(context, index, response.statusCode))) {
      throw responseError(response);
    }
    return response;
  };
  const source = { item, index, url: description.url };
  if (!isPaginated(context)) return responseItems(await request(description), options, context, source);
  const items: Item[] = [];
  for await (const page of fetchPages(description, request, context, index)) {
    items.push(...(await responseItems(page, options, context, source)));
  }
  return items;
}

/** @returns the pause between batches in milliseconds */
async function readBatching(context: NodeContext): Promise<{ size: number; pause: number }> {
  const batch = await context.parameter<{ batchSize?: number; batchInterval?: number } | undefined>(
    'options.batching.batch',
    0,
  );
  if (!batch) return { size: DEFAULT_BATCH, pause: 0 };
  const size = Number(batch.batchSize ?? 50);
  return {
    size: size >= 1 ? Math.floor(size) : DEFAULT_BATCH,
    pause: Math.max(0, Number(batch.batchInterval ?? 1000)),
  };
}
