/** Calculates with dates and formats them. */
import { DateTime, type DateTimeUnit, type DurationUnit } from 'luxon';
import type { JsonObject } from '#core/workflow-format';
import { parseDate } from '../../conditions/parse-date.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { legacyDateTime, legacyDateTimeParameters } from './date-time/legacy.ts';
import { dateTimeParameters } from './date-time/parameters.ts';

export const dateTime: NodeType = {
  name: 'n8n-nodes-base.dateTime',
  label: 'Date & Time',
  description: 'Calculates with dates, and formats them.',
  group: 'data',
  versions: [1, 2],
  inputs: 1,
  outputs: ['main'],
  parameters: [...legacyDateTimeParameters, ...dateTimeParameters],
  execute: (context) =>
    perItem(context, async (item, index) => {
      if (context.version < 2) return legacyDateTime(context, item, index);
      const name = String(await context.parameter('outputFieldName', index));
      const value = await calculate(context, index);
      const include = await context.parameter('options.includeInputFields', index, false);
      const json: JsonObject = include ? { ...item.json } : {};
      if (value !== undefined) json[name] = value;
      return { json, ...(include && item.binary && { binary: item.binary }), pairedItem: { item: index } };
    }),
};

/** The result of the operation, or undefined when it lacks a date. */
async function calculate(context: NodeContext, index: number): Promise<unknown> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const operation = context.literal<string>('operation');
  const read = async (path: string) => dateInZone(await get(path), context.timezone, index);
  switch (operation) {
    case 'getCurrentDate': {
      const zone = String((await get('options.timezone', '')) || context.timezone);
      const now = DateTime.fromMillis(context.now(), { zone });
      if (!now.isValid) throw new NodeError(`The timezone ${zone} is not valid. Please check the timezone.`);
      return ((await get('includeTime')) ? now : now.startOf('day')).toISO();
    }
    case 'addToDate':
    case 'subtractFromDate': {
      const amount = Number(await get('duration'));
      const change = { [String(await get('timeUnit'))]: operation === 'addToDate' ? amount : -amount };
      return (await read('magnitude'))?.plus(change).toISO();
    }
    case 'formatDate':
      return formatDate(context, index);
    case 'roundDate': {
      const date = await read('date');
      const roundsUp = (await get('mode')) === 'roundUp';
      const unit = String(await get(roundsUp ? 'to' : 'toNearest')) as DateTimeUnit;
      return (roundsUp ? date?.endOf(unit) : date?.startOf(unit))?.toISO();
    }
    case 'extractDate': {
      const part = String(await get('part'));
      return (await read('date'))?.get((part === 'week' ? 'weekNumber' : part) as 'day');
    }
    case 'getTimeBetweenDates': {
      const [start, end] = [await read('startDate'), await read('endDate')];
      if (!start || !end) return undefined;
      const duration = end.diff(start, (await get('units')) as DurationUnit[]);
      return (await get('options.isoString', false)) ? duration.toISO() : duration.toObject();
    }
    default:
      throw new NodeError(`The operation "${operation}" does not exist`);
  }
}

/** Uses the zone that the date itself names, or the workflow's zone if the option says so. */
async function formatDate(context: NodeContext, index: number): Promise<unknown> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const value = await get('date');
  if (value === undefined || value === null) return value;
  const fromFormat = await get('options.fromFormat', '');
  let date = fromFormat
    ? DateTime.fromFormat(String(value), String(fromFormat), { zone: 'utc', setZone: true })
    : requireDate(value, index);
  if (!date.isValid) throw invalidDate(index);
  if (await get('options.timezone', false)) date = date.setZone(context.timezone);
  const format = String(await get('format'));
  return date.toFormat(format === 'custom' ? String(await get('customFormat', '')) : format);
}

function dateInZone(value: unknown, zone: string, index: number): DateTime | undefined {
  return value === undefined || value === null ? undefined : requireDate(value, index).setZone(zone);
}

/** Text without a zone is in UTC. Text of five or more digits is milliseconds since 1970. */
function requireDate(value: unknown, index: number): DateTime {
  const dateOrMillis = typeof value === 'string' && /^-?\d{5,}$/.test(value.trim()) ? Number(value) : value;
  const date = parseDate(dateOrMillis, 'utc');
  if (!date?.isValid) throw invalidDate(index);
  return date;
}

function invalidDate(itemIndex: number): NodeError {
  return new NodeError('Invalid date format', {
    itemIndex,
    description: 'Give the date in ISO 8601, as milliseconds since 1970, or name its format in the options.',
  });
}
