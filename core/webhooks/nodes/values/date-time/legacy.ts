/** Version 1 of Date & Time: formats by the tokens of Moment.js, and adds or subtracts a duration. */
import { DateTime, type DurationUnit } from 'luxon';
import { parseDate } from '#core/webhooks/conditions/parse-date.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { type Item, type JsonObject, type Parameter, setPath } from '#core/workflow-format';
import { choice, flag, number, options, text } from '../../shared/parameters.ts';
import { formatMoment, parseMoment } from './moment-format.ts';

const FORMATS = ['MM/DD/YYYY', 'YYYY/MM/DD', 'MMMM DD YYYY', 'MM-DD-YYYY', 'YYYY-MM-DD', 'X', 'x'];
const UNITS = ['quarters', 'years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'];
const format = { action: ['format'] };
const calculate = { action: ['calculate'] };

const parameters: Parameter[] = [
  choice('action', 'Action', 'format', {
    literal: true,
    options: { calculate: 'Calculate a Date', format: 'Format a Date' },
  }),
  text('value', 'Value', { required: true }),
  choice('operation', 'Operation', 'add', { show: calculate, options: { add: 'Add', subtract: 'Subtract' } }),
  number('duration', 'Duration', 0, { minimum: 0, show: calculate }),
  choice('timeUnit', 'Time Unit', 'days', { show: calculate, options: UNITS }),
  text('dataPropertyName', 'Property Name', { default: 'data' }),
  flag('custom', 'Custom Format', { show: format }),
  text('toFormat', 'To Format', { show: { ...format, custom: [true] } }),
  choice('toFormat', 'To Format', 'MM/DD/YYYY', { show: { ...format, custom: [false] }, options: FORMATS }),
  options({
    fields: [
      text('fromFormat', 'From Format'),
      text('fromTimezone', 'From Timezone'),
      text('toTimezone', 'To Timezone'),
    ],
  }),
];

/** Each with the version that has it. */
export const legacyDateTimeParameters: Parameter[] = parameters.map((parameter) => ({
  ...parameter,
  versions: { to: 1 },
}));

/** The item with the result in the field that the node names. @throws NodeError for what is no date */
export async function legacyDateTime(context: NodeContext, item: Item, index: number): Promise<Item> {
  const options = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const value = await context.parameter('value', index);
  const isFormat = context.literal('action', 'format') === 'format';
  const result = isFormat
    ? await formatted(context, value, index, options)
    : await calculated(context, value, index, options);
  const json = structuredClone(item.json);
  setPath(json, String(await context.parameter('dataPropertyName', index)), result);
  return { json, ...(item.binary && { binary: item.binary }) };
}

async function formatted(
  context: NodeContext,
  value: unknown,
  index: number,
  { fromFormat, fromTimezone, toTimezone }: JsonObject,
): Promise<string | null> {
  if (value === null || value === undefined) return null;
  const zone = String(fromTimezone || context.timezone);
  const date = readDate(value, String(fromFormat ?? ''), zone);
  if (!date) {
    throw new NodeError('The date input format could not be recognized. Please set the "From Format" field', {
      itemIndex: index,
    });
  }
  const shown = toTimezone ? date.setZone(String(toTimezone)) : date;
  return formatMoment(shown, String(await context.parameter('toFormat', index)));
}

async function calculated(
  context: NodeContext,
  value: unknown,
  index: number,
  { fromFormat }: JsonObject,
): Promise<string> {
  const date = readDate(value, String(fromFormat ?? ''), context.timezone);
  if (!date) {
    throw new NodeError('Unrecognized date input. Please specify a format in the "From Format" field.');
  }
  const unit = String(await context.parameter('timeUnit', index)) as DurationUnit;
  const amount = Number(await context.parameter('duration', index));
  const sign = (await context.parameter('operation', index)) === 'subtract' ? -1 : 1;
  return date
    .plus({ [unit]: sign * amount })
    .toJSDate()
    .toISOString();
}

/** Whole numbers are seconds since 1970. */
function readDate(value: unknown, fromFormat: string, zone: string): DateTime | undefined {
  if (fromFormat !== '') return parseMoment(String(value), fromFormat, zone);
  const isNumber = Number.isInteger(value) || (typeof value === 'string' && /^\d{9,11}$/.test(value));
  if (isNumber) return DateTime.fromSeconds(Number(value), { zone });
  const date = parseDate(value, zone);
  return date?.isValid ? date.setZone(zone) : undefined;
}
