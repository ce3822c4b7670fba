import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryClusters } from '#test/support/host/memory-cluster.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openTestEngine, outputsOf, START_NODE, startCall } from '#test/support/webhooks/execution-engine.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { WorkflowEngineEvent } from '../events.ts';

const workflow = workflowOf({ ...START_NODE, A: setFields({ a: 1 }) }, ['Start -> A']);
const slow = workflowOf({ ...START_NODE, Hang: { type: 'test.hang' } }, ['Start -> Hang']);
const anywhere = (flow = workflow) => startCall(flow, { durable: true, anywhere: true });

/** Two processes. Requests between them reach `stop`. */
async function openTwo(settings: Record<string, string> = {}, clock?: TestClock) {
  const clusters = new MemoryClusters();
  const records = new MemoryRecords(recordsSchema);
  const open = (process: string) =>
    openTestEngine({ records, settings, cluster: clusters.open(process), ...(clock && { clock }) });
  const engines = { a: await open('a'), b: await open('b') };
  clusters.answer = async (process, _api, request) => {
    const id = /executions\/(\d+)\/stop$/.exec(request.url)![1]!;
    return Response.json({ stopped: engines[process as 'a' | 'b'].executions.cancelHere(id) });
  };
  return { clusters, ...engines };
}

it('is accepted when it is on record, and runs once on the process that takes it', async () => {
  const { clusters, a, b } = await openTwo();
  const { id, accepted, ...rest } = await a.executions.start(anywhere());
  await accepted;
  expect((await a.executions.get(id))?.summary).toMatchObject({ status: 'new', queued: true });
  expect((await a.executions.get(id))?.summary.process).toBeUndefined();
  expect(clusters.queued).toEqual([{ id, takeovers: 0 }]);
  // Redis may deliver a job twice.
  await Promise.all([a.executions.shared!.take(id), b.executions.shared!.take(id)]);
  await b.executions.shared!.take(id);
  const { summary } = (await b.executions.get(id))!;
  expect([summary.status, summary.queued]).toEqual(['success', undefined]);
  expect(await outputsOf(b, id, 'A')).toEqual([{ n: 1, a: 1 }]);
  expect(await rest.done).toMatchObject({ status: 'success' });
});

it('reports the end of an execution that another process runs', async () => {
  const { a, b } = await openTwo();
  const events: string[] = [];
  a.events.subscribe((event: WorkflowEngineEvent) => events.push(event.type));
  const handle = await a.executions.start(anywhere());
  await handle.accepted;
  const { done } = handle;
  await b.executions.shared!.take(handle.id);
  expect((await done).state.runData.A?.[0]?.data?.main?.[0]?.[0]?.json).toEqual({ n: 1, a: 1 });
  expect(events[0]).toBe('executionStarted');
  expect(events.filter((type) => type === 'executionProgress').length).toBeGreaterThan(1);
  expect(events.at(-1)).toBe('executionFinished');
});

it('is cancelled in the queue, and on the process that runs it', async () => {
  const { clusters, a, b } = await openTwo();
  const waiting = await a.executions.start(anywhere());
  await waiting.accepted;
  expect(await b.executions.cancel(waiting.id)).toBe(true);
  await a.executions.shared!.take(waiting.id);
  expect((await a.executions.get(waiting.id))?.summary.status).toBe('canceled');
  expect(await b.executions.cancel(waiting.id)).toBe(false);

  const running = await a.executions.start(anywhere(slow));
  await running.accepted;
  const run = b.executions.shared!.take(running.id);
  await expect.poll(async () => (await a.executions.get(running.id))?.summary.status).toBe('running');
  expect(await a.executions.cancel(running.id)).toBe(true);
  await run;
  expect((await a.executions.get(running.id))?.summary.status).toBe('canceled');

  const lost = await a.executions.start(anywhere(slow));
  await lost.accepted;
  const begun = b.executions.shared!.take(lost.id);
  await expect.poll(async () => (await a.executions.get(lost.id))?.summary.status).toBe('running');
  clusters.answer = async () => Promise.reject(new Error('b is gone'));
  await expect(a.executions.cancel(lost.id)).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('b is gone'),
  });
  b.executions.cancelHere(lost.id);
  await begun;
});

it('refuses executions beyond the length of the queue', async () => {
  const { a } = await openTwo({ TABD_WEBHOOK_QUEUE: '2' });
  for (let n = 0; n < 2; n++) await (await a.executions.start(anywhere())).accepted;
  await expect(a.executions.start(anywhere())).rejects.toMatchObject({ status: 503 });
});

it('adds executions again that the queue has lost', async () => {
  const clock = new TestClock();
  const { clusters, a } = await openTwo({}, clock);
  const { id, accepted } = await a.executions.start(anywhere());
  await accepted;
  clusters.queued.length = 0;
  await a.executions.recover();
  expect(clusters.queued).toEqual([]);
  await clock.advance(16_000);
  await a.executions.recover();
  expect(clusters.queued).toEqual([{ id, takeovers: 0 }]);
  await a.executions.shared!.take(id);
  await clock.advance(16_000);
  await a.executions.recover();
  expect(clusters.queued).toHaveLength(1);
});
