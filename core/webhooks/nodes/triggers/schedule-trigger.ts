/** Starts a published workflow at set times. */

import type { Parameter } from '#core/workflow-format';
import type { NodeType } from '../../node-api/node-type.ts';
import { choice, fixedCollectionList, group, multiChoice, number, text } from '../shared/parameters.ts';
import { ruleIssues } from './old-schedules/poll-times.ts';
import { DEFAULTS, readRules } from './schedule-trigger/rules.ts';
import { scheduleItem } from './schedule-trigger/schedule-item.ts';

/** A number of a rule, shown for these units of time. */
const ruleNumber = (
  name: NumberField,
  label: string,
  units: string[],
  extras: Partial<Pick<Parameter, 'minimum' | 'maximum' | 'description'>>,
): Parameter => number(name, label, DEFAULTS[name], { literal: true, show: { field: units }, ...extras });

type NumberField = {
  [K in keyof typeof DEFAULTS]: (typeof DEFAULTS)[K] extends number ? K : never;
}[keyof typeof DEFAULTS];

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
    fixedCollectionList('rule', 'Trigger Rules', {
      literal: true,
      default: { interval: [{ field: 'days' }] },
      groups: [
        group('interval', 'Trigger Interval', [
          choice('field', 'Trigger Interval', 'days', {
            literal: true,
            options: [
              ...units.map((label) => ({ value: label.toLowerCase(), label })),
              { value: 'cronExpression', label: 'Custom (Cron)' },
            ],
          }),
          ...units.map((unit) =>
            ruleNumber(
              `${unit.toLowerCase()}Interval` as NumberField,
              `${unit} Between Triggers`,
              [unit.toLowerCase()],
              { minimum: 1 },
            ),
          ),
          ruleNumber('triggerAtDayOfMonth', 'Trigger at Day of Month', ['months'], {
            minimum: 1,
            maximum: 31,
            description: 'Months without this day are skipped.',
          }),
          multiChoice('triggerAtDay', 'Trigger on Weekdays', [0], {
            literal: true,
            show: { field: ['weeks'] },
            options: weekdays.map((label, value) => ({ value, label })),
          }),
          ruleNumber('triggerAtHour', 'Trigger at Hour', ['days', 'weeks', 'months'], {
            minimum: 0,
            maximum: 23,
          }),
          ruleNumber('triggerAtMinute', 'Trigger at Minute', ['hours', 'days', 'weeks', 'months'], {
            minimum: 0,
            maximum: 59,
          }),
          text('expression', 'Expression', {
            literal: true,
            placeholder: '0 15 * 1 sun',
            show: { field: ['cronExpression'] },
            description: '[Second] Minute, Hour, Day of Month, Month, Day of Week',
          }),
        ]),
      ],
    }),
  ],
  issues: ({ get }) => ruleIssues(readRules(get('rule'))),
  execute: async (context) => [[scheduleItem(context.now(), context.timezone)]],
};
