/** Times as Cron and polling triggers store them, and their rules. */
import { isObject } from '#core/base';
import type { Parameter } from '#core/workflow-format';
import { choice, fixedCollectionList, group, number, text } from '../../shared/parameters.ts';
import { DEFAULTS, nextTimeOf, type ScheduleRule } from '../schedule-trigger/rules.ts';

const atHour = { mode: ['everyDay', 'everyWeek', 'everyMonth'] };
const atMinute = { mode: ['everyHour', 'everyDay', 'everyWeek', 'everyMonth'] };

/** The times of a trigger. @param name of the parameter: `triggerTimes` or `pollTimes` */
export function timesParameter(name: string, label: string, byDefault: object): Parameter {
  return fixedCollectionList(name, label, {
    literal: true,
    default: byDefault,
    groups: [
      group('item', 'Time', [
        choice('mode', 'Mode', 'everyDay', {
          literal: true,
          options: {
            everyMinute: 'Every Minute',
            everyHour: 'Every Hour',
            everyDay: 'Every Day',
            everyWeek: 'Every Week',
            everyMonth: 'Every Month',
            everyX: 'Every X',
            custom: 'Custom',
          },
        }),
        number('hour', 'Hour', 14, { minimum: 0, maximum: 23, show: atHour }),
        number('minute', 'Minute', 0, { minimum: 0, maximum: 59, show: atMinute }),
        number('dayOfMonth', 'Day of Month', 1, { minimum: 1, maximum: 31, show: { mode: ['everyMonth'] } }),
        choice('weekday', 'Weekday', '1', {
          show: { mode: ['everyWeek'] },
          options: ['0', '1', '2', '3', '4', '5', '6'],
        }),
        text('cronExpression', 'Cron Expression', {
          default: '* * * * * *',
          show: { mode: ['custom'] },
        }),
        number('value', 'Value', 2, { minimum: 1, show: { mode: ['everyX'] } }),
        choice('unit', 'Unit', 'hours', { show: { mode: ['everyX'] }, options: ['minutes', 'hours'] }),
      ]),
    ],
  });
}

/** The rules of stored times. */
export function timesRules(value: unknown): ScheduleRule[] {
  const items = isObject(value) && Array.isArray(value.item) ? value.item : [];
  return items.filter(isObject).map((item) => {
    const { hour = 14, minute = 0, dayOfMonth = 1, weekday = '1', value: count = 2 } = item;
    const time = { triggerAtHour: hour, triggerAtMinute: minute };
    const rules: Record<string, object> = {
      everyMinute: { field: 'minutes', minutesInterval: 1 },
      everyHour: { field: 'hours', triggerAtMinute: minute },
      everyDay: { field: 'days', ...time },
      everyWeek: { field: 'weeks', triggerAtDay: [Number(weekday)], ...time },
      everyMonth: { field: 'months', triggerAtDayOfMonth: dayOfMonth, ...time },
      everyX:
        item.unit === 'minutes'
          ? { field: 'minutes', minutesInterval: count }
          : { field: 'hours', hoursInterval: count },
      custom: { field: 'cronExpression', expression: item.cronExpression ?? '* * * * * *' },
    };
    const mode = String(item.mode ?? 'everyDay');
    return { ...DEFAULTS, ...(rules[mode] ?? { field: mode }) } as ScheduleRule;
  });
}

/** Reasons not to publish a node with these rules. */
export function ruleIssues(rules: ScheduleRule[]): string[] {
  if (rules.length === 0) return ['No trigger rule is set'];
  return rules.flatMap((rule, index) => {
    try {
      const next = nextTimeOf(rule, 'UTC', 0)(Date.UTC(2024, 0, 1));
      return next === undefined ? [`Trigger rule ${index + 1} never comes: there is no such date`] : [];
    } catch (error) {
      return [`Trigger rule ${index + 1}: ${(error as Error).message}`];
    }
  });
}
