import { expect, it, onTestFinished } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { WebhookServer } from '../../webhook-server.ts';

const HOUR = 3_600_000;
const models = { fetch: async () => new Response() };

it('runs only while it is published, also after a restart', async () => {
  const clock = new TestClock(Date.UTC(2024, 0, 10, 12));
  const records = new MemoryRecords(recordsSchema);
  const open = async () => {
    const server = new WebhookServer({ ...createTestHost({ clock }), records }, models);
    onTestFinished(() => server.close());
    await server.start();
    return { server, ...(await server.open()) };
  };
  const first = await open();
  const interval = [{ field: 'hours', hoursInterval: 5 }];
  const nodes = { Clock: { type: 'scheduleTrigger', parameters: { rule: { interval } } } };
  await first.engine.workflows.put({ ...workflowOf(nodes, []), active: false });
  const times = async (engine = first.engine) =>
    (await engine.executions.list()).map(({ startedAt }) => new Date(startedAt).getUTCHours()).reverse();

  await clock.advance(6 * HOUR);
  expect(await times()).toEqual([]);
  await first.publishing.publish('w1');
  await clock.advance(6 * HOUR);
  expect(await times()).toEqual([19, 0]);
  await first.server.close();

  // The server is closed at five. The next time is the same as without the break.
  await clock.advance(7 * HOUR);
  const second = await open();
  await clock.advance(4 * HOUR);
  expect(await times(second.engine)).toEqual([19, 0, 10]);
  await second.publishing.unpublish('w1');
  await clock.advance(12 * HOUR);
  expect(await times(second.engine)).toEqual([19, 0, 10]);
});

it('cannot be published with an invalid rule', async () => {
  const host = createTestHost({ clock: new TestClock(), schema: recordsSchema });
  const server = new WebhookServer(host, models);
  onTestFinished(() => server.close());
  const { engine, publishing } = await server.open();
  const rule = { interval: [{ field: 'cronExpression', expression: 'every day' }] };
  await engine.workflows.put(workflowOf({ Clock: { type: 'scheduleTrigger', parameters: { rule } } }, []));
  await expect(publishing.publish('w1')).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Trigger rule 1: invalid cron expression "every day"'),
  });
});
