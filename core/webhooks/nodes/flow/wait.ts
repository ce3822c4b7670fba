/** Puts the run to wait: for a time, or for a call of its own address. The wait outlasts a restart. */

import type { WaitUntil } from '#core/workflow-format';
import { parseDateMillis } from '../../conditions/parse-date.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { waitParameters } from './wait/parameters.ts';

const MILLISECONDS: Record<string, number> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};
const NO_FORM = 'This server has no forms: choose another way to resume';

export const wait: NodeType = {
  name: 'n8n-nodes-base.wait',
  label: 'Wait',
  description: 'Waits for a time, or until its address is called.',
  group: 'flow',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  credentials: [
    {
      type: 'httpBasicAuth',
      required: true,
      show: { resume: ['webhook'], incomingAuthentication: ['basicAuth'] },
    },
    {
      type: 'httpHeaderAuth',
      required: true,
      show: { resume: ['webhook'], incomingAuthentication: ['headerAuth'] },
    },
    { type: 'jwtAuth', required: true, show: { resume: ['webhook'], incomingAuthentication: ['jwtAuth'] } },
  ],
  parameters: waitParameters,
  issues: ({ get }) => (get('resume') === 'form' ? [NO_FORM] : []),
  async execute(context) {
    context.wait(await untilOf(context));
    return [context.items()];
  },
};

async function untilOf(context: NodeContext): Promise<WaitUntil> {
  switch (context.literal('resume')) {
    case 'timeInterval':
      return { kind: 'time', at: await after(context, 'amount', 'unit') };
    case 'specificTime':
      return { kind: 'time', at: await dateAt(context, 'dateTime') };
    case 'webhook': {
      const suffix = String((await context.parameter('options.webhookSuffix', 0, '')) ?? '').trim();
      const limit =
        (await context.parameter('limitWaitTime', 0)) === true ? await limitOf(context) : undefined;
      return { kind: 'webhook', ...(suffix !== '' && { suffix }), ...(limit !== undefined && { limit }) };
    }
    case 'form':
      throw new NodeError(NO_FORM);
    default:
      throw new NodeError(`The way to resume "${context.literal('resume')}" is not known`);
  }
}

async function limitOf(context: NodeContext): Promise<number> {
  return (await context.parameter('limitType', 0)) === 'atSpecifiedTime'
    ? dateAt(context, 'maxDateAndTime')
    : after(context, 'resumeAmount', 'resumeUnit');
}

async function after(context: NodeContext, amountName: string, unitName: string): Promise<number> {
  const amount = await context.parameter(amountName, 0);
  const unit = String(await context.parameter(unitName, 0));
  const each = MILLISECONDS[unit];
  const time = Number(amount);
  if (amount === '' || amount === null || !Number.isFinite(time) || time < 0) {
    throw new NodeError(`The time to wait must be a number of at least 0, not ${JSON.stringify(amount)}`);
  }
  if (each === undefined) throw new NodeError(`The unit of time "${unit}" is not known`);
  return context.now() + time * each;
}

async function dateAt(context: NodeContext, name: string): Promise<number> {
  const given = await context.parameter(name, 0);
  const at = parseDateMillis(given, context.timezone);
  if (at !== undefined) return at;
  throw new NodeError(`The date to wait for is not a date: ${JSON.stringify(given)}`);
}
