import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let cluster: TestCluster;
let door: RunningDoor;
beforeAll(async () => {
  cluster = await startTestCluster();
  door = await cluster.startDoor();
}, 120_000);
afterAll(() => cluster?.close());

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${door.ports.webhooks}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...init,
  });

function calling(path: string, code: string, parameters: Record<string, unknown> = {}): object {
  const { nodes, connections, settings, name } = workflowOf(
    { Webhook: webhookNode(path, parameters), Code: codeNode(code) },
    ['Webhook -> Code'],
    { name: path },
  );
  return { name, nodes, connections, settings };
}

test('without workers, every API says that there are none, and when to try again', async () => {
  for (const [api, path] of [
    ['webhooks', '/webhook/x'],
    ['local-models', '/api/tags'],
    ['local-models', '/api/ps'],
    ['image-workflows', '/queue'],
  ] as const) {
    const response = await fetch(door.ports[api] + path);
    expect([path, response.status]).toEqual([path, 503]);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.text()).toContain('no worker runs that answers');
  }
});

test('two workers answer webhooks with bodies of any size, and follow publications', async () => {
  await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  await expect
    .poll(async () => (await fetch(`${door.ports.webhooks}/healthz`)).status, { timeout: 30_000 })
    .toBe(200);
  await cluster.publish(door, calling('double', 'return [{ json: { n: $input.first().json.body.n * 2 } }]'));
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  // The other worker learns of the publication within moments.
  await expect
    .poll(
      async () =>
        (await Promise.all(numbers.map((n) => call('double', { body: JSON.stringify({ n }) })))).map(
          ({ status }) => status,
        ),
      { timeout: 20_000 },
    )
    .toEqual(numbers.map(() => 200));
  const answers = await Promise.all(
    numbers.map(async (n) => (await call('double', { body: JSON.stringify({ n }) })).json()),
  );
  expect(answers).toEqual(numbers.map((n) => ({ n: n * 2 })));
  const text = 'x'.repeat(9_000_000);
  await cluster.publish(door, calling('echo', 'return [{ json: { text: $input.first().json.body.text } }]'));
  await expect.poll(async () => (await call('echo', { body: '{"text":""}' })).status).toBe(200);
  const large = (await (await call('echo', { body: JSON.stringify({ text }) })).json()) as { text: string };
  expect(large.text === text).toBe(true);
}, 120_000);

test('executions have numbers of their own on all workers, and both workers ran some', async () => {
  const { data } = await cluster.control<{ data: { id: string; status: string }[] }>(
    door,
    'GET',
    '/executions?limit=200',
  );
  const ids = data.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(40);
  expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['success']));
  const { rows } = await cluster.postgres.query(
    cluster.env.TABD_DATABASE_URL!,
    `SELECT DISTINCT doc->>'process' AS process FROM tabd.executions`,
  );
  expect(rows).toHaveLength(2);
});

test('keys of the control API are made and revoked over the stores, and running workers follow', async () => {
  const list = (key: string) =>
    fetch(`${door.ports.webhooks}/api/v1/workflows`, { headers: { 'x-n8n-api-key': key } });
  expect((await list('none')).status).toBe(401);
  const key = (await cluster.run('key', 'create', 'second', '--cluster')).trim();
  await expect.poll(async () => (await list(key)).status).toBe(200);
  const [, id] = /^(\S+) +second/m.exec(await cluster.run('key', 'list', '--cluster'))!;
  await cluster.run('key', 'rm', id!, '--cluster');
  await expect.poll(async () => (await list(key)).status).toBe(401);
  expect((await list(cluster.key)).status).toBe(200);
  const both = cluster.run('key', 'list', '--cluster', '--server', 'localhost:1');
  await expect(both).rejects.toThrow('exclude each other');
});
