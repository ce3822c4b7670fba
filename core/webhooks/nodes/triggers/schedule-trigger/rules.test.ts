import { describe, expect, it } from 'vitest';
import { DEFAULTS, nextTimeOf, RuleError, readRules, type ScheduleRule } from './rules.ts';

const NEW_YORK = 'America/New_York';

/** The next times after `from`, as ISO text in UTC. */
function upcoming(
  rule: Partial<ScheduleRule>,
  from: string,
  count = 3,
  zone = NEW_YORK,
  anchor = from,
): string[] {
  const times = nextTimeOf({ ...DEFAULTS, ...rule }, zone, Date.parse(anchor));
  const upcomingTimes: string[] = [];
  let time = times(Date.parse(from));
  while (time !== undefined && upcomingTimes.length < count) {
    upcomingTimes.push(new Date(time).toISOString().replace('.000Z', 'Z'));
    time = times(time);
  }
  return upcomingTimes;
}

const cron = (expression: string) => ({ field: 'cronExpression', expression });

describe('schedule rules', () => {
  it.each([
    ['every 30 seconds', { field: 'seconds' }, ['05:20:30Z', '05:21:00Z', '05:21:30Z']],
    ['every 5 minutes of the clock', { field: 'minutes' }, ['05:25:00Z', '05:30:00Z', '05:35:00Z']],
    [
      'every 45 minutes, evenly',
      { field: 'minutes', minutesInterval: 45 },
      ['05:21:00Z', '06:06:00Z', '06:51:00Z'],
    ],
    ['every hour', { field: 'hours', triggerAtMinute: 10 }, ['06:10:00Z', '07:10:00Z', '08:10:00Z']],
    ['every 5 hours, evenly', { field: 'hours', hoursInterval: 5 }, ['06:00:00Z', '11:00:00Z', '16:00:00Z']],
    ['by six fields', cron('15 0 * * * *'), ['06:00:15Z', '07:00:15Z', '08:00:15Z']],
  ])('fire %s', (_title, rule, times) => {
    expect(upcoming(rule as Partial<ScheduleRule>, '2024-03-05T05:20:10Z')).toEqual(
      times.map((time) => `2024-03-05T${time}`),
    );
  });

  it.each([
    [
      'every day at an hour of the zone',
      { triggerAtHour: 9 },
      ['2024-01-10T14:00:00Z', '2024-01-11T14:00:00Z'],
    ],
    [
      'every third day',
      { daysInterval: 3 },
      ['2024-01-11T05:00:00Z', '2024-01-14T05:00:00Z', '2024-01-17T05:00:00Z'],
    ],
    [
      'on Mondays and Fridays of every second week',
      { field: 'weeks', weeksInterval: 2, triggerAtDay: [1, 5] },
      ['2024-01-12T05:00:00Z', '2024-01-22T05:00:00Z', '2024-01-26T05:00:00Z', '2024-02-05T05:00:00Z'],
    ],
    [
      'on a day that not every month has',
      { field: 'months', triggerAtDayOfMonth: 31 },
      ['2024-01-31T05:00:00Z', '2024-03-31T04:00:00Z', '2024-05-31T04:00:00Z'],
    ],
    [
      'every second month',
      { field: 'months', monthsInterval: 2 },
      ['2024-02-01T05:00:00Z', '2024-04-01T04:00:00Z'],
    ],
    ['by a cron expression', cron('0 15 * 1 sun'), ['2024-01-14T20:00:00Z', '2024-01-21T20:00:00Z']],
  ])('fire %s', (_title, rule, times) => {
    expect(upcoming(rule as Partial<ScheduleRule>, '2024-01-10T12:00:00Z', times.length)).toEqual(times);
  });

  it('count from the anchor, whenever the server started', () => {
    const anchor = '2024-01-10T12:00:00Z';
    const rule = { daysInterval: 3 };
    expect(upcoming(rule, '2024-02-01T00:00:00Z', 2, NEW_YORK, anchor)).toEqual([
      '2024-02-01T05:00:00Z',
      '2024-02-04T05:00:00Z',
    ]);
    expect(upcoming(rule, '2024-02-01T06:00:00Z', 1, NEW_YORK, anchor)).toEqual(['2024-02-04T05:00:00Z']);
  });

  it('keep the hour over clock changes, and fire once if the hour is missing or comes twice', () => {
    const nine = { triggerAtHour: 9 };
    expect(upcoming(nine, '2024-03-09T00:00:00Z', 2)).toEqual([
      '2024-03-09T14:00:00Z',
      '2024-03-10T13:00:00Z',
    ]);
    const missing = { triggerAtHour: 2, triggerAtMinute: 30 };
    expect(upcoming(missing, '2024-03-09T12:00:00Z', 2)).toEqual([
      '2024-03-10T07:00:00Z',
      '2024-03-11T06:30:00Z',
    ]);
    const twice = { triggerAtHour: 1, triggerAtMinute: 30 };
    expect(upcoming(twice, '2024-11-02T12:00:00Z', 2)).toEqual([
      '2024-11-03T05:30:00Z',
      '2024-11-04T06:30:00Z',
    ]);
    expect(upcoming({ daysInterval: 2 }, '2024-03-08T00:00:00Z', 3)).toEqual([
      '2024-03-08T05:00:00Z',
      '2024-03-10T05:00:00Z',
      '2024-03-12T04:00:00Z',
    ]);
  });

  it.each([
    [{ field: 'minutes', minutesInterval: 0 }, 'minutesInterval must be a whole number from 1'],
    [{ triggerAtHour: 24 }, 'triggerAtHour must be a whole number from 0 to 23'],
    [{ field: 'weeks', triggerAtDay: [9] }, 'triggerAtDay must list weekdays'],
    [cron('61 * * * *'), 'invalid cron expression "61 * * * *": Invalid value for minute: 61'],
    [cron(''), 'invalid cron expression'],
    [cron('={{ $vars.when }}'), 'it cannot hold expressions'],
    [{ field: 'years' }, 'unknown interval "years"'],
  ])('of %j are refused', (rule, message) => {
    const compile = () => nextTimeOf({ ...DEFAULTS, ...(rule as Partial<ScheduleRule>) }, 'UTC', 0);
    expect(compile).toThrow(RuleError);
    expect(compile).toThrow(message);
  });

  it('without fields fire every day at midnight', () => {
    expect(readRules({ interval: [{}] })).toEqual([DEFAULTS]);
    expect(readRules(undefined)).toEqual([DEFAULTS]);
  });
});
