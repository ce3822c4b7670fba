import { afterEach, describe, expect, it } from 'vitest';
import type { Workflow } from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import { nodeType } from '../../nodes/index.ts';
import { findIssues } from '../../registrations/publish-check.ts';
import type { Engine } from '../engine.ts';
import { Schedules } from './schedules.ts';

const START = Date.UTC(2024, 2, 9, 12);
const HOUR = 3_600_000;
let engine: Engine | undefined;
afterEach(() => engine?.close());

async function open(clock = new TestClock(START)) {
  const opened = await openEngine({ clock });
  engine = opened.engine;
  const { executions, settings } = opened.engine;
  const parts = { executions, poll: () => {}, clock, log: opened.host.log, timezone: settings.timezone };
  return { ...opened, clock, parts, schedules: new Schedules(parts) };
}

function scheduled(interval: object[], more: Partial<Workflow> = {}): Workflow {
  return workflowOf(
    {
      Clock: { type: 'scheduleTrigger', typeVersion: 1.2, parameters: { rule: { interval } } },
      End: setFields({ hour: '={{ $json.Hour }}' }, false),
    },
    ['Clock -> End'],
    more,
  );
}

const runs = async (engine: Engine) => (await engine.executions.list()).reverse();

describe('schedules', () => {
  it('start the workflow at its times, with the parts of the time', async () => {
    const { engine, schedules, clock } = await open();
    schedules.start(scheduled([{ triggerAtHour: 9, triggerAtMinute: 5 }]));
    expect(new Date(schedules.next('w1')!).toISOString()).toBe('2024-03-09T14:05:00.000Z');
    await clock.advance(2 * HOUR);
    expect(await runs(engine)).toEqual([]);
    // Daylight saving time begins in the night: 9:05 is an hour earlier in UTC.
    await clock.advance(24 * HOUR);
    const [first, second] = await runs(engine);
    expect([first, second].map((run) => [run!.mode, new Date(run!.startedAt).toISOString()])).toEqual([
      ['trigger', '2024-03-09T14:05:00.000Z'],
      ['trigger', '2024-03-10T13:05:00.000Z'],
    ]);
    const { detail } = (await engine.executions.get(second!.id))!;
    const { runData } = detail!.data.resultData;
    expect(runData.Clock![0]!.data!.main![0]![0]!.json).toEqual({
      timestamp: '2024-03-10T09:05:00.000-04:00',
      'Readable date': 'March 10th 2024, 9:05:00 am',
      'Readable time': '9:05:00 am',
      'Day of week': 'Sunday',
      Year: '2024',
      Month: 'March',
      'Day of month': '10',
      Hour: '09',
      Minute: '05',
      Second: '00',
      Timezone: 'America/New_York (UTC-04:00)',
    });
    expect(runData.End![0]!.data!.main![0]![0]!.json).toEqual({ hour: '09' });
  });

  it('use the timezone of the workflow', async () => {
    const { schedules } = await open();
    const settings = { executionOrder: 'v1' as const, timezone: 'Asia/Kolkata' };
    schedules.start(scheduled([{ triggerAtHour: 9 }], { settings }));
    expect(new Date(schedules.next('w1')!).toISOString()).toBe('2024-03-10T03:30:00.000Z');
  });

  it('end when the workflow is unpublished or published in another version', async () => {
    const { engine, schedules, clock } = await open();
    schedules.start(scheduled([{ field: 'minutes' }]));
    await clock.advance(5 * 60_000);
    schedules.start(scheduled([{ field: 'hours' }]));
    await clock.advance(10 * 60_000);
    expect(await runs(engine)).toHaveLength(1);
    schedules.stop('w1');
    expect(schedules.next('w1')).toBeUndefined();
    await clock.advance(3 * HOUR);
    expect(await runs(engine)).toHaveLength(1);
    const { pending } = clock;
    schedules.start(scheduled([{ field: 'minutes' }]));
    expect(clock.pending).toBe(pending + 1);
    schedules.close();
    await clock.advance(HOUR);
    expect(await runs(engine)).toHaveLength(1);
    expect(clock.pending).toBe(pending);
  });

  it('continue after a restart as if there had been none', async () => {
    const { parts, clock, schedules } = await open();
    const live = scheduled([{ daysInterval: 3 }], { updatedAt: new Date(START).toISOString() });
    schedules.start(live);
    schedules.close();
    await clock.advance(54 * HOUR);
    const again = new Schedules(parts);
    again.start(live);
    expect(new Date(again.next('w1')!).toISOString()).toBe('2024-03-13T04:00:00.000Z');
    again.close();
  });

  it('run once for all times that the computer slept through', async () => {
    const { engine, schedules, clock } = await open();
    schedules.start(scheduled([{ field: 'minutes' }]));
    // The timer fires late, as after the computer slept.
    const real = clock.now.bind(clock);
    clock.now = () => real() + 2 * HOUR;
    await clock.advance(61_000);
    clock.now = real;
    expect(await runs(engine)).toHaveLength(1);
    // The clock was set back: the next time is in five minutes, not in two hours.
    await clock.advance(6 * 60_000);
    expect(await runs(engine)).toHaveLength(2);
  });

  it('are checked before they are published', async () => {
    const issues = (interval: object[]) => findIssues(scheduled(interval), { nodeType });
    expect(
      await issues([{ field: 'weeks' }, { field: 'cronExpression', expression: '0 9 * * 1-5' }]),
    ).toEqual([]);
    expect(
      await issues([{ triggerAtHour: 25 }, { field: 'cronExpression', expression: '0 0 31 2 *' }]),
    ).toEqual([
      {
        node: 'Clock',
        issues: [
          'Trigger rule 1: triggerAtHour must be a whole number from 0 to 23, not 25',
          'Trigger rule 2 never comes: there is no such date',
        ],
      },
    ]);
  });
});
