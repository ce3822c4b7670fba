import { expect, it, vi } from 'vitest';
import { ClusterClient } from './cluster-client.ts';

const answers = (value: unknown, status = 200) =>
  vi.fn<typeof fetch>(async () => Response.json(value, { status }));
const report = { processes: [], queues: [], stuck: [] };

it('reads the report', async () => {
  expect(await new ClusterClient(answers(report)).report()).toEqual(report);
});

it.each([
  ['another answer', answers({ hello: 'world' }), 'absent'],
  ['a page', vi.fn<typeof fetch>(async () => new Response('<!doctype html>')), 'absent'],
  ['no such path', answers({ error: 'no' }, 404), 'absent'],
  ['no network', vi.fn<typeof fetch>(() => Promise.reject(new TypeError('Failed to fetch'))), 'absent'],
  ['a refusal', answers({ error: 'send a key' }, 401), 'locked'],
])('has none with %s', async (_what, ask, state) => {
  expect(await new ClusterClient(ask).report()).toBe(state);
});

it('drains and repeats, with the key', async () => {
  const ask = answers({});
  const client = new ClusterClient(ask);
  await client.drain('worker-1/a', true);
  client.key = 'secret';
  await client.retry('7');
  expect(ask.mock.calls).toEqual([
    ['/tabd/cluster/processes/worker-1%2Fa', { method: 'POST', body: '{"drain":true}', headers: {} }],
    [
      '/tabd/cluster/executions/7/retry',
      { method: 'POST', body: '{}', headers: { 'x-n8n-api-key': 'secret' } },
    ],
  ]);
});

it("fails with the server's message", async () => {
  const ask = answers({ error: 'there is no worker x' }, 404);
  await expect(new ClusterClient(ask).drain('x', false)).rejects.toThrow('there is no worker x');
});
