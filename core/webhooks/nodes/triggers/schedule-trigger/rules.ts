/** When a Schedule Trigger fires: its rules, and the times they give in a time zone. */
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

/** One entry of `rule.interval`, defaults filled in. */
export type Rule = typeof DEFAULTS;

/** The next time (milliseconds since 1970) after this one; undefined = never again. */
export type Times = (after: number) => number | undefined;

export class RuleError extends Error {
  override name = 'RuleError';
}

export function readRules(rule: unknown): Rule[] {
  const listed = isObject(rule) && Array.isArray(rule.interval) ? rule.interval : [{}];
  return listed.map((one) => ({ ...DEFAULTS, ...(isObject(one) ? one : {}) }) as Rule);
}

/**
 * @param anchor when the counting of "every three days" begins (milliseconds since 1970): the first time that fits
 *   after it counts
 * Throws `RuleError` with what is wrong.
 */
export function timesOf(rule: Rule, zone: string, anchor: number): Times {
  const { field } = rule;
  const at = () => `${whole(rule, 'triggerAtMinute', 0, 59)} ${whole(rule, 'triggerAtHour', 0, 23)}`;
  switch (field) {
    case 'cronExpression':
      return cronTimes(withoutSign(rule.expression), zone);
    case 'seconds':
    case 'minutes': {
      const every = whole(rule, `${field}Interval`, 1, field === 'seconds' ? 86_400 : 44_640);
      const place = field === 'seconds' ? '' : '0 ';
      if (60 % every === 0)
        return cronTimes(`${place}*/${every} * * * *${field === 'seconds' ? ' *' : ''}`, zone);
      const unit = field === 'seconds' ? 1000 : 60_000;
      return evenly(Math.ceil((anchor + 1) / unit) * unit, every * unit);
    }
    case 'hours': {
      const every = whole(rule, 'hoursInterval', 1, 8760);
      const minute = whole(rule, 'triggerAtMinute', 0, 59);
      if (24 % every === 0) return cronTimes(`${minute} */${every} * * *`, zone);
      return evenly(cronTimes(`${minute} * * * *`, zone)(anchor)!, every * 3_600_000);
    }
    case 'days': {
      const every = whole(rule, 'daysInterval', 1, 366);
      return everyNth(cronTimes(`${at()} * * *`, zone), every, anchor, (time) => dayNumber(time, zone));
    }
    case 'weeks': {
      const every = whole(rule, 'weeksInterval', 1, 60);
      const days = cronTimes(`${at()} * * ${weekdays(rule.triggerAtDay)}`, zone);
      // Weeks begin on Sunday; the first day of 1970 was a Thursday.
      return everyNth(days, every, anchor, (time) => Math.floor((dayNumber(time, zone) + 4) / 7));
    }
    case 'months': {
      const every = whole(rule, 'monthsInterval', 1, 120);
      const day = whole(rule, 'triggerAtDayOfMonth', 1, 31);
      return everyNth(cronTimes(`${at()} ${day} * *`, zone), every, anchor, (time) => {
        const { year, month } = DateTime.fromMillis(time, { zone });
        return year * 12 + month;
      });
    }
    default:
      throw new RuleError(`unknown interval ${JSON.stringify(field)}`);
  }
}

/** Times of a cron expression: five fields, or six with seconds first. */
function cronTimes(expression: string, zone: string): Times {
  let cron: Cron;
  try {
    cron = new Cron(expression.trim(), { timezone: zone, paused: true, mode: '5-or-6-parts' });
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '');
    throw new RuleError(`invalid cron expression ${JSON.stringify(expression)}: ${reason}`);
  }
  return (after) => cron.nextRun(new Date(after))?.getTime();
}

function evenly(first: number, step: number): Times {
  return (after) => (after < first ? first : first + (Math.floor((after - first) / step) + 1) * step);
}

/** Of these times those whose period (day, week, month) is a multiple of `every` away from the first one's. */
function everyNth(times: Times, every: number, anchor: number, period: (time: number) => number): Times {
  if (every === 1) return times;
  const start = times(anchor);
  if (start === undefined) return () => undefined;
  const first = period(start);
  return (after) => {
    let time = times(Math.max(after, start - 1));
    while (time !== undefined && (period(time) - first) % every !== 0) time = times(time);
    return time;
  };
}

/** Days since 1970 by the calendar of the zone. */
function dayNumber(time: number, zone: string): number {
  const { year, month, day } = DateTime.fromMillis(time, { zone });
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

function whole(rule: Rule, name: keyof Rule, least: number, most: number): number {
  const value = typeof rule[name] === 'string' && rule[name] !== '' ? Number(rule[name]) : rule[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RuleError(
    `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(rule[name])}`,
  );
}

function weekdays(days: unknown): string {
  const listed = (Array.isArray(days) ? days : [days]).map(Number);
  if (listed.length > 0 && listed.every((day) => Number.isInteger(day) && day >= 0 && day <= 7)) {
    return listed.join(',');
  }
  throw new RuleError('triggerAtDay must list weekdays, 0 (Sunday) to 6 (Saturday)');
}

/** The field was made for expressions at some time: `=0 9 * * 1` is as good as without the sign. */
function withoutSign(expression: unknown): string {
  const text = String(expression ?? '');
  if (/\{\{/.test(text)) throw new RuleError('a schedule must be fixed: it cannot hold expressions');
  return text.replace(/^=/, '');
}
