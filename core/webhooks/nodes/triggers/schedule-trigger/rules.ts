/** The rules of a Schedule Trigger, and the times at which they fire in a time zone. */
import { Cron } from 'croner';
import { DateTime } from 'luxon';
import { isObject } from '#core/base';

export const DEFAULTS = {
  field: 'days',
  secondsInterval: 30,
  minutesInterval: 5,
  hoursInterval: 1,
  daysInterval: 1,
  weeksInterval: 1,
  monthsInterval: 1,
  triggerAtDay: [0] as unknown,
  triggerAtDayOfMonth: 1,
  triggerAtHour: 0,
  triggerAtMinute: 0,
  expression: '',
};

/** One entry of `rule.interval` with its defaults. */
export type ScheduleRule = typeof DEFAULTS;

/** The next time after another one (both milliseconds since 1970). Undefined when there is none. */
export type NextTime = (after: number) => number | undefined;

/** A rule that cannot be used; the message says why. */
export class RuleError extends Error {
  override name = 'RuleError';
}

/** The rules of the node's parameter `rule`. An entry without fields means every day at midnight. */
export function readRules(rule: unknown): ScheduleRule[] {
  const entries = isObject(rule) && Array.isArray(rule.interval) ? rule.interval : [{}];
  return entries.map((entry) => ({ ...DEFAULTS, ...(isObject(entry) ? entry : {}) }) as ScheduleRule);
}

/**
 * The times of a rule.
 * @param anchor when a rule such as "every three days" begins to count (milliseconds since 1970): its first time is
 *   the first one after it
 * @throws RuleError
 */
export function nextTimeOf(rule: ScheduleRule, zone: string, anchor: number): NextTime {
  const { field } = rule;
  const timeOfDay = () =>
    `${integerOf(rule, 'triggerAtMinute', 0, 59)} ${integerOf(rule, 'triggerAtHour', 0, 23)}`;
  switch (field) {
    case 'cronExpression':
      return cronTimes(cronExpressionOf(rule.expression), zone);
    case 'seconds':
    case 'minutes': {
      const every = integerOf(rule, `${field}Interval`, 1, field === 'seconds' ? 86_400 : 44_640);
      if (60 % every === 0)
        return cronTimes(field === 'seconds' ? `*/${every} * * * * *` : `0 */${every} * * * *`, zone);
      const unit = field === 'seconds' ? 1000 : 60_000;
      return evenTimes(Math.ceil((anchor + 1) / unit) * unit, every * unit);
    }
    case 'hours': {
      const every = integerOf(rule, 'hoursInterval', 1, 8760);
      const minute = integerOf(rule, 'triggerAtMinute', 0, 59);
      if (24 % every === 0) return cronTimes(`${minute} */${every} * * *`, zone);
      return evenTimes(cronTimes(`${minute} * * * *`, zone)(anchor)!, every * 3_600_000);
    }
    case 'days': {
      const every = integerOf(rule, 'daysInterval', 1, 366);
      const days = cronTimes(`${timeOfDay()} * * *`, zone);
      return everyNth(days, every, anchor, (time) => dayNumber(time, zone));
    }
    case 'weeks': {
      const every = integerOf(rule, 'weeksInterval', 1, 60);
      const days = cronTimes(`${timeOfDay()} * * ${weekdaysOf(rule.triggerAtDay)}`, zone);
      // Weeks begin on Sunday; the first day of 1970 was a Thursday.
      return everyNth(days, every, anchor, (time) => Math.floor((dayNumber(time, zone) + 4) / 7));
    }
    case 'months': {
      const every = integerOf(rule, 'monthsInterval', 1, 120);
      const day = integerOf(rule, 'triggerAtDayOfMonth', 1, 31);
      return everyNth(cronTimes(`${timeOfDay()} ${day} * *`, zone), every, anchor, (time) => {
        const { year, month } = DateTime.fromMillis(time, { zone });
        return year * 12 + month;
      });
    }
    default:
      throw new RuleError(`unknown interval ${JSON.stringify(field)}`);
  }
}

/** The times of a cron expression with five fields, or with six, of which the first are the seconds. */
function cronTimes(expression: string, zone: string): NextTime {
  let cron: Cron;
  try {
    cron = new Cron(expression.trim(), { timezone: zone, paused: true, mode: '5-or-6-parts' });
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '');
    throw new RuleError(`invalid cron expression ${JSON.stringify(expression)}: ${reason}`);
  }
  return (after) => cron.nextRun(new Date(after))?.getTime();
}

function evenTimes(first: number, step: number): NextTime {
  return (after) => (after < first ? first : first + (Math.floor((after - first) / step) + 1) * step);
}

/** The times in every nth period (day, week or month), counted from the first time after the anchor. */
function everyNth(
  nextTime: NextTime,
  every: number,
  anchor: number,
  periodOf: (time: number) => number,
): NextTime {
  if (every === 1) return nextTime;
  const start = nextTime(anchor);
  if (start === undefined) return () => undefined;
  const firstPeriod = periodOf(start);
  return (after) => {
    let time = nextTime(Math.max(after, start - 1));
    while (time !== undefined && (periodOf(time) - firstPeriod) % every !== 0) time = nextTime(time);
    return time;
  };
}

/** Days since 1970 in the calendar of the zone. */
function dayNumber(time: number, zone: string): number {
  const { year, month, day } = DateTime.fromMillis(time, { zone });
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

function integerOf(rule: ScheduleRule, name: keyof ScheduleRule, min: number, max: number): number {
  const value = typeof rule[name] === 'string' && rule[name] !== '' ? Number(rule[name]) : rule[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RuleError(
    `${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(rule[name])}`,
  );
}

function weekdaysOf(value: unknown): string {
  const days = (Array.isArray(value) ? value : [value]).map(Number);
  if (days.length > 0 && days.every((day) => Number.isInteger(day) && day >= 0 && day <= 7)) {
    return days.join(',');
  }
  throw new RuleError('triggerAtDay must list weekdays, 0 (Sunday) to 6 (Saturday)');
}

/** Some stored expressions begin with the sign of expressions: `=0 9 * * 1`. */
function cronExpressionOf(expression: unknown): string {
  const text = String(expression ?? '');
  if (/\{\{/.test(text)) throw new RuleError('a schedule must be fixed: it cannot hold expressions');
  return text.replace(/^=/, '');
}
