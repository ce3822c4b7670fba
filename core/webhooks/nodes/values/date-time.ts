/** Calculates with dates, and formats them. */
import { DateTime, type DateTimeUnit, type DurationUnit } from 'luxon';
import type { JsonObject } from '#core/workflow-format';
import { parseDate } from '../../conditions/parse-date.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { dateTimeParameters } from './date-time/parameters.ts';

export const dateTime: NodeType = {
  name: 'n8n-nodes-base.dateTime',
  label: 'Date & Time',
  description: 'Calculates with dates, and formats them.',
  group: 'data',
  versions: [2],
  inputs: 1,
  outputs: ['main'],
  parameters: dateTimeParameters,
  execute: (context) =>
    perItem(context, async (item, index) => {
      const name = String(await context.parameter('outputFieldName', index));
      const value = await made(context, index);
      const include = await context.parameter('options.includeInputFields', index, false);
      const json: JsonObject = include ? { ...item.json } : {};
      if (value !== undefined) json[name] = value;
      return { json, ...(include && item.binary && { binary: item.binary }), pairedItem: { item: index } };
    }),
};

async function made(context: NodeContext, index: number): Promise<unknown> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const operation = context.literal<string>('operation');
  const read = async (path: string) => dateOf(await get(path), context.timezone, index);
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
      return formatted(context, index);
    case 'roundDate': {
      const date = await read('date');
      const up = (await get('mode')) === 'roundUp';
      const unit = String(await get(up ? 'to' : 'toNearest')) as DateTimeUnit;
      return (up ? date?.endOf(unit) : date?.startOf(unit))?.toISO();
    }
    case 'extractDate': {
      const part = String(await get('part'));
      return (await read('date'))?.get((part === 'week' ? 'weekNumber' : part) as 'day');
    }
    case 'getTimeBetweenDates': {
      const [start, end] = [await read('startDate'), await read('endDate')];
      if (!start || !end) return undefined;
      const between = end.diff(start, (await get('units')) as DurationUnit[]);
      return (await get('options.isoString', false)) ? between.toISO() : between.toObject();
    }
    default:
      throw new NodeError(`The operation "${operation}" does not exist`);
  }
}

/** In the zone that the date itself names, unless the workflow's is asked for. */
async function formatted(context: NodeContext, index: number): Promise<unknown> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const given = await get('date');
  if (given === undefined || given === null) return given;
  const from = await get('options.fromFormat', '');
  let date = from
    ? DateTime.fromFormat(String(given), String(from), { zone: 'utc', setZone: true })
    : parsed(given, index);
  if (!date.isValid) throw invalid(index);
  if (await get('options.timezone', false)) date = date.setZone(context.timezone);
  const format = String(await get('format'));
  return date.toFormat(format === 'custom' ? String(await get('customFormat', '')) : format);
}

/** In the zone of the workflow; undefined where there is none. */
function dateOf(value: unknown, zone: string, index: number): DateTime | undefined {
  return value === undefined || value === null ? undefined : parsed(value, index).setZone(zone);
}

/** A text without a zone is in UTC. */
function parsed(value: unknown, index: number): DateTime {
  const millis = typeof value === 'string' && /^-?\d{5,}$/.test(value.trim()) ? Number(value) : value;
  const date = parseDate(millis, 'utc');
  if (!date?.isValid) throw invalid(index);
  return date;
}

function invalid(itemIndex: number): NodeError {
  return new NodeError('Invalid date format', {
    itemIndex,
    description: 'Give the date in ISO 8601, as milliseconds since 1970, or name its format in the options.',
  });
}
