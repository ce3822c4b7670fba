/** Cron expressions and other rules of schedules. */
import { nextTimeOf, RuleError, readRules } from '#core/webhooks/nodes/triggers/schedule-trigger/rules.ts';
import { check, fuzzTarget, textOf } from '../target.ts';

const ANCHOR = 1_700_000_000_000;

export default fuzzTarget({
  invariant: 'each time is later than the one before',
  seeds: () => [
    '*/5 * * * *',
    '0 0 9 1-15/2 JAN,MAR MON#2',
    '0 0 29 2 *',
    'L W ? * 5L',
    '@yearly',
    '{"field":"weeks","weeksInterval":3,"triggerAtDay":[1,5],"triggerAtHour":23}',
    '{"field":"months","monthsInterval":7,"triggerAtDayOfMonth":31}',
    '{"field":"hours","hoursInterval":5,"triggerAtMinute":59}',
  ],
  words: [
    '"field":"days"',
    '"field":"seconds"',
    '"secondsInterval":',
    '"triggerAtHour":',
    '1-59/7',
    '31 2 *',
  ],
  refusals: [RuleError],
  measured: ['croner'],
  run(input) {
    for (const rule of readRules({ interval: [ruleOf(textOf(input))] })) {
      const next = nextTimeOf(rule, 'Europe/Berlin', ANCHOR);
      for (let runs = 0, after: number | undefined = ANCHOR; runs < 3 && after !== undefined; runs++) {
        const time = next(after);
        check(time === undefined || time > after, 'times grow', `${time} after ${after}`);
        after = time;
      }
    }
  },
});

function ruleOf(text: string): unknown {
  if (!text.startsWith('{')) return { field: 'cronExpression', expression: text };
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
