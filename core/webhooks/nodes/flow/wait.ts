/** Makes the execution wait, for a time or for a call of its resume address. The wait survives a restart. */

import type { WaitUntil } from '#core/workflow-format';
import { parseDateMillis } from '../../conditions/parse-date.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { authenticationCredentials } from '../triggers/webhook/parameters.ts';
import { waitParameters } from './wait/parameters.ts';

const MILLISECONDS: Record<string, number> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};
const NO_FORMS = 'This server has no forms: choose another way to resume';

export const wait: NodeType = {
  name: 'n8n-nodes-base.wait',
  label: 'Wait',
  description: 'Waits for a time, or until its address is called.',
  group: 'flow',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  credentials: authenticationCredentials((value) => ({
    resume: ['webhook'],
    incomingAuthentication: [value],
  })),
  parameters: waitParameters,
  issues: ({ get }) => (get('resume') === 'form' ? [NO_FORMS] : []),
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
      const isLimited = (await context.parameter('limitWaitTime', 0)) === true;
      const limit = isLimited ? await readLimit(context) : undefined;
      return { kind: 'webhook', ...(suffix !== '' && { suffix }), ...(limit !== undefined && { limit }) };
    }
    case 'form':
      throw new NodeError(NO_FORMS);
    default:
      throw new NodeError(`The way to resume "${context.literal('resume')}" is not known`);
  }
}

/** When the execution continues without a call (milliseconds since 1970). */
async function readLimit(context: NodeContext): Promise<number> {
  return (await context.parameter('limitType', 0)) === 'atSpecifiedTime'
    ? readDate(context, 'maxDateAndTime')
    : timeAfter(context, 'resumeAmount', 'resumeUnit');
}

async function timeAfter(context: NodeContext, amountName: string, unitName: string): Promise<number> {
  const stored = await context.parameter(amountName, 0);
  const unit = String(await context.parameter(unitName, 0));
  const unitMillis = MILLISECONDS[unit];
  const amount = Number(stored);
  if (stored === '' || stored === null || !Number.isFinite(amount) || amount < 0) {
    throw new NodeError(`The time to wait must be a number of at least 0, not ${JSON.stringify(stored)}`);
  }
  if (unitMillis === undefined) throw new NodeError(`The unit of time "${unit}" is not known`);
  return context.now() + amount * unitMillis;
}

async function readDate(context: NodeContext, name: string): Promise<number> {
  const value = await context.parameter(name, 0);
  const millis = parseDateMillis(value, context.timezone);
  if (millis !== undefined) return millis;
  throw new NodeError(`The date to wait for is not a date: ${JSON.stringify(value)}`);
}
