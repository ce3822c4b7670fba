import { expect, it } from 'vitest';
import { type JsonObject, nodeSettings } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { scheduleTrigger } from './schedule-trigger.ts';

const issuesOf = (parameters: JsonObject) =>
  scheduleTrigger.issues!(nodeSettings(scheduleTrigger, parameterContext(scheduleTrigger, parameters).node));
const rules = (...interval: JsonObject[]) => ({ rule: { interval } });
const cron = (expression: string) => ({ field: 'cronExpression', expression });

it.each([
  [{}, []],
  [rules({}), []],
  [rules({ field: 'seconds', secondsInterval: 1 }, cron('0 0 29 2 *')), []],
  [rules(), ['No trigger rule is set']],
  [{ rule: {} }, []],
  [rules({ field: 'months', triggerAtDayOfMonth: 31 }), []],
  [rules({}, cron('0 0 30 2 *')), ['Trigger rule 2 never comes: there is no such date']],
])('of %j the issues are %j', (parameters, issues) => expect(issuesOf(parameters)).toEqual(issues));

it.each([cron(''), cron('* * *'), cron('61 * * * *'), cron('a b c d e'), { field: 'none' }])(
  'reports the damaged rule %j by its number',
  (rule) => {
    const issues = issuesOf(rules({}, rule, rule));
    expect(issues).toEqual([
      expect.stringMatching(/^Trigger rule 2(: .| never)/),
      expect.stringMatching(/^Trigger rule 3(: .| never)/),
    ]);
  },
);

it('outputs the time of the start', async () => {
  const more = { now: () => 0, timezone: 'Asia/Tokyo' };
  const output = await scheduleTrigger.execute(parameterContext(scheduleTrigger, {}, { more }));
  expect(output[0]![0]!.json).toMatchObject({ timestamp: '1970-01-01T09:00:00.000+09:00' });
});
