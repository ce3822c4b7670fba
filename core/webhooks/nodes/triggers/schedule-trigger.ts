/** Starts a published workflow at set times. */
import type { NodeType, Parameter } from '../../workflow/node-type.ts';
import { scheduleItem } from './schedule-trigger/item.ts';
import { DEFAULTS, readRules, timesOf } from './schedule-trigger/rules.ts';

const number = (
  name: keyof typeof DEFAULTS,
  label: string,
  fields: string[],
  more: Partial<Parameter> = {},
): Parameter => ({
  name,
  label,
  type: 'number',
  default: DEFAULTS[name],
  literal: true,
  show: { field: fields },
  ...more,
});

const units = ['Seconds', 'Minutes', 'Hours', 'Days', 'Weeks', 'Months'];
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export const scheduleTrigger: NodeType = {
  name: 'n8n-nodes-base.scheduleTrigger',
  label: 'Schedule Trigger',
  description: 'Starts the workflow at set times, once it is published.',
  group: 'trigger',
  versions: [1, 1.1, 1.2, 1.3],
  inputs: 0,
  outputs: ['main'],
  parameters: [
    {
      name: 'rule',
      label: 'Trigger Rules',
      type: 'groups',
      multiple: true,
      literal: true,
      default: { interval: [{ field: 'days' }] },
      groups: [
        {
          name: 'interval',
          label: 'Trigger Interval',
          fields: [
            {
              name: 'field',
              label: 'Trigger Interval',
              type: 'options',
              default: 'days',
              literal: true,
              options: [
                ...units.map((label) => ({ value: label.toLowerCase(), label })),
                { value: 'cronExpression', label: 'Custom (Cron)' },
              ],
            },
            ...units.map((unit) =>
              number(
                `${unit.toLowerCase()}Interval` as keyof typeof DEFAULTS,
                `${unit} Between Triggers`,
                [unit.toLowerCase()],
                { minimum: 1 },
              ),
            ),
            number('triggerAtDayOfMonth', 'Trigger at Day of Month', ['months'], {
              minimum: 1,
              maximum: 31,
              description: 'Months without this day are left out.',
            }),
            {
              name: 'triggerAtDay',
              label: 'Trigger on Weekdays',
              type: 'multiOptions',
              default: [0],
              literal: true,
              show: { field: ['weeks'] },
              options: weekdays.map((label, value) => ({ value, label })),
            },
            number('triggerAtHour', 'Trigger at Hour', ['days', 'weeks', 'months'], {
              minimum: 0,
              maximum: 23,
            }),
            number('triggerAtMinute', 'Trigger at Minute', ['hours', 'days', 'weeks', 'months'], {
              minimum: 0,
              maximum: 59,
            }),
            {
              name: 'expression',
              label: 'Expression',
              type: 'string',
              default: '',
              literal: true,
              placeholder: '0 15 * 1 sun',
              show: { field: ['cronExpression'] },
              description: '[Second] Minute, Hour, Day of Month, Month, Day of Week',
            },
          ],
        },
      ],
    },
  ],
  issues({ get }) {
    const rules = readRules(get('rule'));
    if (rules.length === 0) return ['No trigger rule is set'];
    return rules.flatMap((rule, index) => {
      try {
        const next = timesOf(rule, 'UTC', 0)(Date.UTC(2024, 0, 1));
        return next === undefined ? [`Trigger rule ${index + 1} never comes: there is no such date`] : [];
      } catch (error) {
        return [`Trigger rule ${index + 1}: ${(error as Error).message}`];
      }
    });
  },
  execute: async (context) => [[scheduleItem(context.now(), context.timezone)]],
};
