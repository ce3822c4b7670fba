/** Reads how long a node waits at most. */
import { parseDateMillis } from '#core/webhooks/conditions/parse-date.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

const MILLISECONDS: Record<string, number> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/**
 * The time at which the execution continues without a call (milliseconds since 1970). Undefined: it has no limit.
 * @throws NodeError for a time that is none
 */
export async function readWaitLimit(context: NodeContext): Promise<number | undefined> {
  if ((await context.parameter('limitWaitTime', 0)) !== true) return undefined;
  return (await context.parameter('limitType', 0)) === 'atSpecifiedTime'
    ? readDate(context, 'maxDateAndTime')
    : timeAfter(context, 'resumeAmount', 'resumeUnit');
}

/** The time when the amount in one parameter, of the unit in another one, has passed. @throws NodeError */
export async function timeAfter(context: NodeContext, amountName: string, unitName: string): Promise<number> {
  const stored = await context.parameter(amountName, 0);
  return timeOfAmount(context, stored, String(await context.parameter(unitName, 0)));
}

/** The time when an amount of a unit has passed. @throws NodeError for an amount or a unit that is none */
export function timeOfAmount(context: Pick<NodeContext, 'now'>, stored: unknown, unit: string): number {
  const unitMillis = MILLISECONDS[unit];
  const amount = Number(stored);
  if (stored === '' || stored === null || !Number.isFinite(amount) || amount < 0) {
    throw new NodeError(`The time to wait must be a number of at least 0, not ${JSON.stringify(stored)}`);
  }
  if (unitMillis === undefined) throw new NodeError(`The unit of time "${unit}" is not known`);
  return context.now() + amount * unitMillis;
}

/** The date in a parameter (milliseconds since 1970). @throws NodeError */
export async function readDate(context: NodeContext, name: string): Promise<number> {
  return timeOfDate(context, await context.parameter(name, 0));
}

/** A date as milliseconds since 1970. @throws NodeError for a value that is none */
export function timeOfDate(context: Pick<NodeContext, 'timezone'>, value: unknown): number {
  const millis = parseDateMillis(value, context.timezone);
  if (millis !== undefined) return millis;
  throw new NodeError(`The date to wait for is not a date: ${JSON.stringify(value)}`);
}
