import { expect, it, vi } from 'vitest';
import { type RecordChange, recordsSchema, StorageFull } from '#core/host';
import { MemoryClusters } from '#test/support/host/memory-cluster.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openTestEngine, START_NODE, startCall } from '#test/support/webhooks/execution-engine.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

/** Records that refuse writes while they are full. An end is a write of several records. */
class FullRecords extends MemoryRecords {
  isFull = false;

  override async write(changes: RecordChange[]): Promise<void> {
    if (this.isFull) throw new StorageFull('no space left');
    await super.write(changes);
  }
}

it('an end that had no room is recorded later, and its caller does not wait', async () => {
  const clock = new TestClock();
  const records = new FullRecords(recordsSchema);
  const engine = await openTestEngine({ records, clock });
  records.isFull = true;
  const { id, done } = await engine.executions.start(startCall(workflowOf({ ...START_NODE }, [])));
  expect((await done).status).toBe('success');
  expect((await engine.executions.get(id))?.summary.status).toBe('running');
  await clock.advance(10_000);
  expect((await engine.executions.get(id))?.summary.status).toBe('running');
  records.isFull = false;
  await clock.advance(10_000);
  const { summary, detail } = (await engine.executions.get(id))!;
  expect([summary.status, Object.keys(detail!.data.resultData.runData)]).toEqual(['success', ['Start']]);
});

it('an execution that cannot be recorded does not run', async () => {
  const records = new FullRecords(recordsSchema);
  const engine = await openTestEngine({ records });
  records.isFull = true;
  const call = startCall(workflowOf({ ...START_NODE }, []), { durable: true });
  const { id, accepted, done } = await engine.executions.start(call);
  await expect(accepted).rejects.toThrow(StorageFull);
  expect((await done).state.runData).toEqual({});
  expect(await engine.executions.get(id)).toBeUndefined();
});

const waitingFor = (parameters: Record<string, unknown>) =>
  workflowOf({ ...START_NODE, Wait: { type: 'wait', typeVersion: 1.1, parameters } }, ['Start -> Wait']);

async function openWaiting(parameters: Record<string, unknown>, seconds: number) {
  const clock = new TestClock();
  const records = new FullRecords(recordsSchema);
  const engine = await openTestEngine({ records, clock });
  const call = startCall(waitingFor(parameters), { durable: true });
  const { id } = await engine.executions.start(call);
  const status = async () => (await engine.executions.get(id))?.summary.status;
  await expect.poll(status).toBe('waiting');
  records.isFull = true;
  await clock.advance(seconds * 1000);
  return { clock, records, id, status, executions: engine.executions };
}

it('an execution still waits after a call for whose record there is no room', async () => {
  const { clock, records, id, status, executions } = await openWaiting({ resume: 'webhook' }, 1);
  for (const _ of [1, 2]) {
    const handle = await executions.resume(id);
    await expect(handle.accepted).rejects.toThrow(StorageFull);
    expect((await handle.done).status).toBe('error');
    await clock.advance(10_000);
    expect(await status()).toBe('waiting');
  }
  records.isFull = false;
  const { done } = await executions.resume(id);
  expect((await done).status).toBe('success');
  await clock.advance(10_000);
  expect(await status()).toBe('success');
});

it.each([20, 3600])('a wait of %i seconds that ends while there is no room resumes later', async (amount) => {
  const { clock, records, status } = await openWaiting({ amount, unit: 'seconds' }, amount + 30);
  expect(await status()).toBe('waiting');
  records.isFull = false;
  await clock.advance(10_000);
  await expect.poll(status).toBe('success');
});

async function openCluster() {
  const clock = new TestClock();
  const records = new FullRecords(recordsSchema);
  const engine = await openTestEngine({ records, clock, cluster: new MemoryClusters().open('here') });
  // There is room for the new execution, but not for its start.
  const executions = records.collection<{ status: string }>('executions');
  const put = executions.put.bind(executions);
  const starts = vi.spyOn(executions, 'put').mockImplementation(async (key, doc) => {
    if (doc.status === 'running') throw new StorageFull('no space left');
    await put(key, doc);
  });
  return { clock, engine, makeRoom: () => starts.mockRestore() };
}

it('an accepted execution whose start has no room runs when there is room', async () => {
  const { clock, engine, makeRoom } = await openCluster();
  const call = startCall(workflowOf({ ...START_NODE }, []), { durable: true });
  const { id, accepted, done } = await engine.executions.start(call);
  await accepted;
  await clock.advance(20_000);
  expect((await engine.executions.get(id))?.summary.status).toBe('new');
  makeRoom();
  await clock.advance(5000);
  expect((await done).status).toBe('success');
});

it('a caller that waits for an execution whose start has no room gets the error of the storage', async () => {
  const { engine } = await openCluster();
  const { done } = await engine.executions.start(startCall(workflowOf({ ...START_NODE }, [])));
  const { status, state, unrecorded } = await done;
  expect([status, state.runData]).toEqual(['error', {}]);
  expect(unrecorded).toBeInstanceOf(StorageFull);
});
