/** Makes the execution wait, for a time or for a call of its resume address. The wait survives a restart. */

import type { WaitUntil } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { authenticationCredentials } from '../triggers/webhook/parameters.ts';
import { PAGE_KEY, readPage } from './form/read-page.ts';
import { waitParameters } from './wait/parameters.ts';
import { readDate, readWaitLimit, timeAfter } from './wait/read-limit.ts';

export const wait: NodeType = {
  name: 'n8n-nodes-base.wait',
  label: 'Wait',
  description: 'Waits for a time, or until its address is called.',
  group: 'flow',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  credentials: [
    ...authenticationCredentials((value) => ({ resume: ['webhook'], incomingAuthentication: [value] })),
    {
      type: 'httpBasicAuth',
      required: true,
      show: { resume: ['form'], incomingAuthentication: ['basicAuth'] },
    },
  ],
  parameters: waitParameters,
  async execute(context) {
    context.wait(await waitUntil(context));
    return [context.items()];
  },
};

async function waitUntil(context: NodeContext): Promise<WaitUntil> {
  switch (context.literal('resume')) {
    case 'timeInterval':
      return { kind: 'time', at: await timeAfter(context, 'amount', 'unit') };
    case 'specificTime':
      return { kind: 'time', at: await readDate(context, 'dateTime') };
    case 'webhook': {
      const suffix = String((await context.parameter('options.webhookSuffix', 0, '')) ?? '').trim();
      const limit = await readWaitLimit(context);
      return { kind: 'webhook', ...(suffix !== '' && { suffix }), ...(limit !== undefined && { limit }) };
    }
    case 'form': {
      context.memory[PAGE_KEY] = await readPage(context);
      const limit = await readWaitLimit(context);
      return { kind: 'webhook', form: true, ...(limit !== undefined && { limit }) };
    }
    default:
      throw new NodeError(`The way to resume "${context.literal('resume')}" is not known`);
  }
}
