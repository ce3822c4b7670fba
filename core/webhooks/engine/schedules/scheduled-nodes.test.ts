import { expect, it } from 'vitest';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { nodeType } from '../../nodes/index.ts';
import { findIssues } from '../../registrations/publish-check.ts';
import { scheduledNode } from './scheduled-nodes.ts';

const nodeOf = (type: string, parameters: object) =>
  workflowOf({ T: { type, parameters } as never }, []).nodes[0]!;

it.each([
  ['cron', {}, { field: 'days', triggerAtHour: 14 }],
  ['cron', { triggerTimes: { item: [{ mode: 'everyMinute' }] } }, { field: 'minutes', minutesInterval: 1 }],
  [
    'cron',
    { triggerTimes: { item: [{ mode: 'everyWeek', weekday: '3', hour: 5 }] } },
    { field: 'weeks', triggerAtDay: [3], triggerAtHour: 5 },
  ],
  [
    'cron',
    { triggerTimes: { item: [{ mode: 'everyMonth', dayOfMonth: 9 }] } },
    { field: 'months', triggerAtDayOfMonth: 9 },
  ],
  [
    'cron',
    { triggerTimes: { item: [{ mode: 'everyX', value: 3, unit: 'minutes' }] } },
    { field: 'minutes', minutesInterval: 3 },
  ],
  [
    'cron',
    { triggerTimes: { item: [{ mode: 'custom', cronExpression: '0 9 * * *' }] } },
    { field: 'cronExpression', expression: '0 9 * * *' },
  ],
  ['interval', { interval: 7, unit: 'minutes' }, { field: 'minutes', minutesInterval: 7 }],
  ['rssFeedReadTrigger', {}, { field: 'minutes', minutesInterval: 1 }],
])('%s with %j has a rule', (type, parameters, rule) => {
  const scheduled = scheduledNode(nodeOf(type, parameters));
  expect(scheduled?.rules).toMatchObject([rule]);
  expect(scheduled?.item?.(0, 'UTC')?.json).toEqual(type === 'rssFeedReadTrigger' ? undefined : {});
});

it('other nodes have none, and bad times are refused', async () => {
  expect(scheduledNode(nodeOf('webhook', {}))).toBeUndefined();
  const bad = workflowOf(
    { T: { type: 'cron', parameters: { triggerTimes: { item: [{ mode: 'never' }] } } } },
    [],
  );
  expect(await findIssues(bad, { nodeType })).toEqual([
    { node: 'T', issues: ['Trigger rule 1: unknown interval "never"'] },
  ]);
});
