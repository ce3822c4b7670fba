/** The triggers that n8n replaced by the Schedule Trigger, and the first node of old workflows. */
import type { NodeSettings } from '#core/workflow-format';
import type { NodeType } from '../../node-api/node-type.ts';
import { choice, number } from '../shared/parameters.ts';
import { manualTrigger } from './manual-trigger.ts';
import { ruleIssues, timesParameter, timesRules } from './old-schedules/poll-times.ts';
import { DEFAULTS, type ScheduleRule } from './schedule-trigger/rules.ts';

export const start: NodeType = {
  ...manualTrigger,
  name: 'n8n-nodes-base.start',
  label: 'Start',
  description: 'The first node of old workflows. Newer ones use the Manual Trigger.',
};

export const cron: NodeType = {
  name: 'n8n-nodes-base.cron',
  label: 'Cron',
  description: 'Starts a published workflow at set times. Newer workflows use the Schedule Trigger.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  parameters: [timesParameter('triggerTimes', 'Trigger Times', { item: [{ mode: 'everyDay' }] })],
  issues: ({ get }) => ruleIssues(timesRules(get('triggerTimes'))),
  execute: async () => [[{ json: {} }]],
};

export const interval: NodeType = {
  name: 'n8n-nodes-base.interval',
  label: 'Interval',
  description: 'Starts a published workflow again and again. Newer workflows use the Schedule Trigger.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  parameters: [
    number('interval', 'Interval', 1, { minimum: 1, literal: true }),
    choice('unit', 'Unit', 'seconds', { literal: true, options: ['seconds', 'minutes', 'hours'] }),
  ],
  issues: (settings) => ruleIssues(intervalRules(settings)),
  execute: async () => [[{ json: {} }]],
};

/** The rule of an Interval node. */
export function intervalRules({ get }: NodeSettings): ScheduleRule[] {
  const unit = String(get('unit') ?? 'seconds');
  return [{ ...DEFAULTS, field: unit, [`${unit}Interval`]: get('interval') } as ScheduleRule];
}
