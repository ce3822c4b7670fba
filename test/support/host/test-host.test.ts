import { expect, test } from 'vitest';
import { createTestHost } from './test-host.ts';

test('blobs continue partials, verify digests, lock partials and have a quota', async () => {
  const { blobs } = createTestHost();
  const first = await blobs.openPartial('k');
  await first.append(new TextEncoder().encode('hel'));
  const waiting = blobs.openPartial('k');
  await first.close();
  const second = await waiting;
  expect(second.size).toBe(3);
  blobs.quota = 5;
  await second.append(new TextEncoder().encode('lo'));
  await expect(second.append(new Uint8Array(1))).rejects.toThrow('no space');
  const info = await second.commit('sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
  expect(await new Response(blobs.read(info.digest, 1, 3)).text()).toBe('el');
  const other = await blobs.openPartial('k2');
  await expect(other.commit(info.digest)).rejects.toThrow('digest mismatch');
});

test('records are sorted by an index, and timers fire on the test clock', async () => {
  const host = createTestHost({
    schema: { version: 1, collections: { things: { indexes: ['at'] } }, migrations: {} },
  });
  const things = host.records.collection<{ at: number }>('things');
  for (const at of [3, 1, 2]) await things.put(`k${at}`, { at });
  expect((await things.list({ index: 'at', from: 2, reverse: true })).map(({ key }) => key)).toEqual([
    'k3',
    'k2',
  ]);
  expect(() => host.records.collection('other')).toThrow('unknown collection');
  const fired: number[] = [];
  const start = host.clock.now();
  host.clock.after(20, () => fired.push(host.clock.now() - start));
  host.clock.after(10, () => host.clock.after(5, () => fired.push(host.clock.now() - start)));
  host.clock.after(12, () => fired.push(-1))();
  await host.time!.advance(30);
  expect(fired.map(Math.round)).toEqual([15, 20]);
});
