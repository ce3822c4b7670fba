import { expect, it } from 'vitest';
import { type RecordChange, recordsSchema, StorageFull } from '#core/host';
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
