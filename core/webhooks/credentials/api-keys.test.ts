import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { ApiKeys } from './api-keys.ts';

function setUp() {
  const clock = new TestClock();
  const host = createTestHost({ schema: recordsSchema, clock });
  return { clock, host, keys: new ApiKeys(host) };
}

it('a key has a prefix and 32 random bytes, and is valid at once', async () => {
  const { keys, clock } = setUp();
  const { info, key } = await keys.create('laptop');
  expect(key).toMatch(/^tabd_[0-9a-f]{64}$/);
  expect(info).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    label: 'laptop',
    createdAt: new Date(clock.now()).toISOString(),
    ending: key.slice(-4),
  });
  expect(await keys.isValid(key)).toBe(true);
  expect(await keys.isValid(`${key.slice(0, -1)}x`)).toBe(false);
  expect((await keys.create('laptop')).key).not.toBe(key);
});

it('a new key is valid after other keys were checked', async () => {
  const { keys } = setUp();
  expect(await keys.isValid('tabd_none')).toBe(false);
  expect(await keys.isValid((await keys.create('second')).key)).toBe(true);
});

it('keys are listed by age, without secrets, and without other records of the collection', async () => {
  const { keys, clock, host } = setUp();
  await host.records.collection('workflowKeys').put('signatures', { secret: 's' });
  const created: string[] = [];
  for (const label of ['b', 'a', 'c']) {
    created.push((await keys.create(label)).info.id);
    await clock.advance(1000);
  }
  const listed = await keys.list();
  expect(listed.map(({ id }) => id)).toEqual(created);
  expect(Object.keys(listed[0]!).sort()).toEqual(['createdAt', 'ending', 'id', 'label']);
});

it('a deleted key is not valid', async () => {
  const { keys } = setUp();
  const { info, key } = await keys.create('laptop');
  expect(await keys.isValid(key)).toBe(true);
  expect(await keys.delete(info.id)).toBe(true);
  expect([await keys.isValid(key), await keys.list(), await keys.delete(info.id)]).toEqual([
    false,
    [],
    false,
  ]);
});

it('stored keys are valid for the next server, temporary ones are not', async () => {
  const { keys, host } = setUp();
  const { key } = await keys.create('laptop');
  const temporary = await keys.createTemporary();
  expect([await keys.isValid(temporary), (await keys.list()).length]).toEqual([true, 1]);
  const next = new ApiKeys(host);
  expect([await next.isValid(key), await next.isValid(temporary)]).toEqual([true, false]);
});
