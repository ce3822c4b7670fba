import { beforeEach, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { EngineEvents, type WorkflowEngineEvent } from './events.ts';
import { WorkflowStore } from './workflow-store.ts';

const workflow = workflowOf({ Start: { type: 'manualTrigger' } }, []);

let records: MemoryRecords;
let clock: TestClock;
let store: WorkflowStore;
let changed: WorkflowEngineEvent[];
beforeEach(() => {
  records = new MemoryRecords(recordsSchema);
  clock = new TestClock();
  changed = [];
  const events = new EngineEvents(createTestHost().log);
  events.subscribe((event) => changed.push(event));
  store = new WorkflowStore(records, clock, events);
});
const stored = () => records.collection<typeof workflow>('workflows').get('w1');

it('stores a workflow with its times, and reports the change', async () => {
  const first = await store.put(workflow);
  const createdAt = new Date(clock.now()).toISOString();
  expect(first).toEqual({ ...workflow, createdAt, updatedAt: createdAt });
  expect(await stored()).toEqual(first);
  expect(changed).toEqual([{ type: 'workflowChanged', workflowId: 'w1' }]);
  await clock.advance(1000);
  const second = await store.put({ ...first, name: 'Renamed' });
  expect([second.createdAt, second.updatedAt]).toEqual([createdAt, new Date(clock.now()).toISOString()]);
});

it('returns one object for each workflow, from memory', async () => {
  const put = await store.put(workflow);
  expect(await store.get('w1')).toBe(put);
  expect((await store.list())[0]).toBe(put);
  const next = new WorkflowStore(records, clock, new EngineEvents(createTestHost().log));
  const read = await next.get('w1');
  expect(read).toEqual(put);
  expect(await next.get('w1')).toBe(read);
  expect(await next.get('none')).toBeUndefined();
});

it('deletes a workflow once', async () => {
  await store.put(workflow);
  expect([await store.delete('w1'), await store.delete('w1')]).toEqual([true, false]);
  expect([await store.get('w1'), await store.list(), changed.length]).toEqual([undefined, [], 2]);
});

it('stores static data in the current version, without an event', async () => {
  const current = await store.put(workflow);
  await store.saveStaticData({ ...workflow, name: 'Former', staticData: { global: { n: 1 } } });
  expect(await stored()).toEqual({ ...current, staticData: { global: { n: 1 } } });
  expect((await store.get('w1'))!.staticData).toEqual({ global: { n: 1 } });
  expect(changed).toHaveLength(1);
});

it('does not store static data of a deleted workflow', async () => {
  await store.put(workflow);
  await store.delete('w1');
  await store.saveStaticData(workflow);
  expect(await stored()).toBeUndefined();
});
