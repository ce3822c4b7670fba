/** A database that is away for so long that writes fail. */
import { expect, it } from 'vitest';
import { type RecordChange, RecordsUnavailable, recordsSchema } from '#core/host';
import { MemoryClusters } from '#test/support/host/memory-cluster.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openTestEngine, START_NODE, startCall } from '#test/support/webhooks/execution-engine.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

class AwayRecords extends MemoryRecords {
  isAway = false;

  override async write(changes: RecordChange[]): Promise<void> {
    if (this.isAway) throw new RecordsUnavailable('the database cannot be used: it does not answer');
    await super.write(changes);
  }
}

const waiting = workflowOf(
  { ...START_NODE, Wait: { type: 'wait', typeVersion: 1.1, parameters: { amount: 20, unit: 'seconds' } } },
  ['Start -> Wait'],
);

async function open() {
  const [clock, records, clusters] = [new TestClock(), new AwayRecords(recordsSchema), new MemoryClusters()];
  const engine = await openTestEngine({ records, clock, cluster: clusters.open('here') });
  const status = async (id: string) =>
    (await records.collection<{ status: string }>('executions').get(id))?.status;
  return { clock, records, engine, clusters, status };
}

it('the end of an execution is recorded when the database is back', async () => {
  const { clock, records, engine, status } = await open();
  const { id, accepted, done } = await engine.executions.start(startCall(workflowOf({ ...START_NODE }, [])));
  await accepted;
  records.isAway = true;
  expect((await done).status).toBe('success');
  await clock.advance(10_000);
  expect(await status(id)).toBe('running');
  records.isAway = false;
  await clock.advance(10_000);
  expect(await status(id)).toBe('success');
});

it('a wait begins when the database is back', async () => {
  const { clock, records, engine, status } = await open();
  const { id, accepted, done } = await engine.executions.start(startCall(waiting, { durable: true }));
  await accepted;
  records.isAway = true;
  await clock.advance(12_000);
  expect(await status(id)).toBe('running');
  records.isAway = false;
  await clock.advance(5000);
  expect(await status(id)).toBe('waiting');
  await clock.advance(10_000);
  expect((await done).status).toBe('success');
});

it('a wait whose time comes while the cluster cannot agree resumes later', async () => {
  const { clock, engine, clusters, status } = await open();
  const { id } = await engine.executions.start(startCall(waiting, { durable: true }));
  await expect.poll(() => status(id)).toBe('waiting');
  clusters.isAway = true;
  await clock.advance(25_000);
  expect(await status(id)).toBe('waiting');
  clusters.isAway = false;
  await clock.advance(10_000);
  await expect.poll(() => status(id)).toBe('success');
});
