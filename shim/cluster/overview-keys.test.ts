/** Keys and retries while a worker of the list is dead. */
import { expect, test } from 'vitest';
import type { ClusterConnection } from './cluster-connection.ts';
import type { JobQueue } from './job-queue.ts';
import { ClusterOverview } from './overview.ts';
import type { PeerRequest, Peers } from './peers.ts';
import type { ProcessInfo } from './presence.ts';

const worker = (process: string) =>
  ({ process, role: 'worker', apis: ['webhooks'], leads: { webhooks: 1 } }) as Partial<ProcessInfo>;

/** An overview of workers of which only the living answer. */
function overviewOf({ living, dead }: { living: string[]; dead: string[] }) {
  const requested: string[] = [];
  const presence = {
    processes: [...dead, ...living].map(worker),
    leader: () => worker(dead[0]!),
  };
  const peers = {
    isSuspect: () => false,
    async fetch(process: string, { request }: PeerRequest) {
      requested.push(process);
      if (dead.includes(process)) throw new Error('it did not take the request');
      return Response.json({ isValid: (await request.text()) === 'right' });
    },
  };
  const overview = new ClusterOverview(
    { presence } as unknown as ClusterConnection,
    {} as JobQueue,
    peers as unknown as Peers,
  );
  return { overview, requested };
}

test('a living worker checks a key, although a dead one is still announced', async () => {
  const { overview, requested } = overviewOf({ living: ['b'], dead: ['a'] });
  expect(await overview.knowsKey('right')).toBe(true);
  expect(await overview.knowsKey('wrong')).toBe(false);
  expect(requested).toEqual(['a', 'b', 'a', 'b']);
  // A valid key counts for some seconds.
  expect(await overview.knowsKey('right')).toBe(true);
  expect(requested.length).toBe(4);
});

test('without a worker that answers, keys and retries are refused with the cause', async () => {
  const { overview } = overviewOf({ living: [], dead: ['a'] });
  await expect(overview.knowsKey('right')).rejects.toMatchObject({
    status: 503,
    message: 'no worker answers that knows the keys',
  });
  await expect(overview.retry('1')).rejects.toMatchObject({
    status: 503,
    message: 'the worker a does not answer',
  });
});
