import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsSchema } from '#core/host/records-schema.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { type SocketMessage, testNodes } from '#test/support/image-workflows/image-server.ts';
import { RouteClient } from '#test/support/image-workflows/route-client.ts';

let client: RouteClient;
beforeEach(() => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  client = new RouteClient({ host, customNodes: testNodes([]) });
});
afterEach(() => client.close());
const fail = (value: number) => ({
  '1': { class_type: 'Fail', inputs: { value } },
  '2': { class_type: 'Show', inputs: { value: ['1', 0] } },
});
const subscribe = (body: unknown) => client.server.ask('PATCH', '/internal/logs/subscribe', body);

it('the log is text, or entries with the size of a terminal', async () => {
  await client.server.run(fail(7));
  const text = await client.getJson('/internal/logs');
  expect(text).toMatch(
    /^\d{4}-\d\d-\d\dT.*Z - a prompt failed prompt=\S+ node=Fail error=RangeError: cannot do 7\n$/,
  );
  const { entries, size } = await client.getJson('/internal/logs/raw');
  expect(size).toEqual({ cols: 80, rows: 24 });
  expect(entries.map(({ t, m }: { t: string; m: string }) => `${t} - ${m}`).join('')).toBe(text);
});

it('subscribers receive new lines until they unsubscribe', async () => {
  const [mine, other] = [await client.server.connect('me'), await client.server.connect('other')];
  const logs = (heard: typeof mine.heard) => (heard as SocketMessage[]).filter(({ type }) => type === 'logs');
  expect((await subscribe({ clientId: 'me', enabled: true })).status).toBe(200);
  await client.server.run(fail(7));
  expect(logs(mine.heard)).toEqual([
    {
      type: 'logs',
      data: { entries: [{ t: expect.any(String), m: expect.stringContaining('cannot do 7') }], size: null },
    },
  ]);
  await subscribe({ clientId: 'me', enabled: false });
  await client.server.run(fail(8));
  expect([logs(mine.heard).length, logs(other.heard).length]).toEqual([1, 0]);
});

it.each(['{}', '[]', '{"clientId": 5}'])('a subscription needs a client id: %s', async (body) => {
  const response = await subscribe(body);
  expect([response.status, (await response.json()).error]).toEqual([
    400,
    'the body must be {"clientId": "...", "enabled": true}',
  ]);
});
