import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import type { ExecutionStatus, ExecutionSummary } from '#core/workflow-format';
import { MemoryClusters } from '#test/support/host/memory-cluster.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openTestEngine, START_NODE, startCall } from '#test/support/webhooks/execution-engine.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { startAt } from '../run/run-state.ts';
import { toDetail } from './execution-detail.ts';
import { ExecutionStore } from './execution-store.ts';

const workflow = workflowOf({ ...START_NODE, A: setFields({ a: 1 }) }, ['Start -> A']);

async function openShared() {
  const clusters = new MemoryClusters();
  const records = new MemoryRecords(recordsSchema);
  const store = new ExecutionStore(records);
  let number = 0;
  /** Stores an execution that another process has left. */
  const leave = async (status: ExecutionStatus, more: Partial<ExecutionSummary> = {}, hasDetail = true) => {
    const { node, output } = startCall(workflow);
    const id = String(++number);
    const summary: ExecutionSummary = {
      ...{ id, number, workflowId: workflow.id, workflowName: workflow.name, mode: 'webhook', status },
      ...{ finished: false, test: false, startedAt: 1, process: 'gone', ...more },
    };
    if (hasDetail) await store.put(summary, toDetail(workflow, startAt(node, output)));
    else await store.putSummary(summary);
    return id;
  };
  const open = (process: string, settings: Record<string, string> = {}, clock?: TestClock) =>
    openTestEngine({ records, settings, cluster: clusters.open(process), ...(clock && { clock }) });
  /** Lets a process do the jobs of the queue, as its worker would. */
  const serve = async ({ executions }: Awaited<ReturnType<typeof open>>) => {
    for (const { id } of clusters.queued.splice(0)) await executions.shared!.take(id);
  };
  const status = async (id: string) => (await store.summary(id))?.status;
  return { clusters, records, store, leave, open, serve, status };
}

it('runs what had not begun, and fails what had', async () => {
  const { leave, open, serve, status, store } = await openShared();
  const [queued, begun, unrecorded] = [
    await leave('new'),
    await leave('running'),
    await leave('new', {}, false),
  ];
  await serve(await open('here'));
  expect(await status(queued)).toBe('success');
  expect(await store.summary(queued)).toMatchObject({ process: 'here', takeovers: 1, finished: true });
  expect((await store.detail(queued))!.data.resultData.runData.A![0]!.data!.main![0]).toMatchObject([
    { json: { n: 1, a: 1 } },
  ]);
  expect(await status(begun)).toBe('crashed');
  // Its caller waited for the answer, and knows that the call has failed.
  expect(await status(unrecorded)).toBe('crashed');
});

it('repeats what had begun if the setting says so, but not for ever', async () => {
  const { leave, open, serve, status } = await openShared();
  const [begun, poison] = [await leave('running'), await leave('running', { takeovers: 2 })];
  await serve(await open('here', { TABD_TAKEOVER: 'retry' }));
  expect(await status(begun)).toBe('success');
  expect(await status(poison)).toBe('crashed');
});

it('leaves the executions of running processes alone, and those that another one takes over', async () => {
  const { clusters, leave, open, status } = await openShared();
  clusters.open('elsewhere');
  const theirs = await leave('running', { process: 'elsewhere' });
  const claimed = await leave('running');
  const release = await clusters.open('other').claim(`execution ${claimed}`);
  const engine = await open('here');
  expect([await status(theirs), await status(claimed)]).toEqual(['running', 'running']);
  await release!();
  await engine.executions.recover();
  expect([await status(theirs), await status(claimed)]).toEqual(['running', 'crashed']);
});

it.each([
  ['fail', 'crashed'],
  ['retry', 'new'],
])('follows the rule "%s" for what still runs when its process closes', async (rule, outcome) => {
  const { clusters, open, status } = await openShared();
  const first = await open('first');
  const hanging = workflowOf({ ...START_NODE, Hang: { type: 'test.hang' } }, ['Start -> Hang']);
  const { id } = await first.executions.start(startCall(hanging, { durable: true }));
  await expect.poll(() => status(id)).toBe('running');
  await first.close();
  expect(await status(id)).toBe('running');
  clusters.running.delete('first');
  await open('second', { TABD_TAKEOVER: rule });
  expect(await status(id)).toBe(outcome);
  expect(clusters.queued.map((entry) => entry.id)).toEqual(rule === 'retry' ? [id] : []);
});

it('resumes a waiting execution at its time', async () => {
  const clock = new TestClock();
  const { clusters, open, status } = await openShared();
  const waiting = workflowOf({ ...START_NODE, Wait: { type: 'test.wait', parameters: { seconds: 600 } } }, [
    'Start -> Wait',
  ]);
  const first = await open('first', {}, clock);
  const { id, done } = await first.executions.start(startCall(waiting));
  expect((await done).status).toBe('waiting');
  clusters.running.delete('first');
  await first.close();
  await open('second', {}, clock);
  expect(await status(id)).toBe('waiting');
  clock.advance(601_000);
  await expect.poll(() => status(id)).toBe('success');
});

it('two processes give executions different numbers, and one of them resumes', async () => {
  const { open } = await openShared();
  const engines = [await open('a'), await open('b')];
  const handles = await Promise.all(
    Array.from({ length: 20 }, (_, n) => engines[n % 2]!.executions.start(startCall(workflow))),
  );
  await Promise.all(handles.map(({ done }) => done));
  expect(new Set(handles.map(({ id }) => id)).size).toBe(20);
  const waiting = workflowOf({ ...START_NODE, Wait: { type: 'test.wait' } }, ['Start -> Wait']);
  const { id, done } = await engines[0]!.executions.start(startCall(waiting));
  await done;
  const results = await Promise.allSettled(engines.map((engine) => engine.executions.resume(id)));
  expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({ status: 409 });
});
