/** The Redis nodes against a real server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { JsonObject } from '#core/workflow-format';
import { clientNode, openClientEngine } from '#test/support/servers/client-engine.ts';
import { startRedis } from '#test/support/servers/databases.ts';
import type { StartedServer } from '#test/support/servers/server-process.ts';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';

let server: StartedServer;
let engine: Engine;

beforeAll(async () => {
  server = await startRedis();
  const login = { host: '127.0.0.1', port: server.port, password: 'secret', database: 2 };
  engine = await openClientEngine({ credentials: { redis: login } });
}, 120_000);

afterAll(async () => {
  await engine?.close();
  await server?.stop();
});

const run = (operation: string, parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, clientNode('redis', 'redis', { operation, ...parameters }), input);

it('sets and gets values of every type', async () => {
  const values = { text: 'hello', hash: { a: '1', b: 'x' }, list: ['1', '2'] };
  for (const [key, value] of Object.entries(values)) {
    expect(await run('set', { key, value: '={{ $json.value }}' }, [{ value }])).toEqual([{ value }]);
    expect(await run('get', { key, propertyName: 'a.b' })).toEqual([{ a: { b: value } }]);
  }
  await run('set', { key: 'set', keyType: 'sets', value: '["m"]' });
  expect(await run('get', { key: 'set', propertyName: 'a.b', options: { dotNotation: false } })).toEqual([
    { 'a.b': ['m'] },
  ]);
  expect(await run('keys', { keyPattern: '*' })).toEqual([{ ...values, set: ['m'] }]);
  expect(await run('keys', { keyPattern: 'te*', getValues: false })).toEqual([{ keys: ['text'] }]);
  expect(await run('delete', { key: 'text' }, [{ kept: 1 }])).toEqual([{ kept: 1 }]);
  expect(await run('get', { key: 'text' })).toEqual([{ propertyName: null }]);
  expect(await run('get', { key: 'hash', keyType: 'list' })).toEqual({
    error: expect.stringContaining('WRONGTYPE'),
  });
});

it('counts, and works on lists', async () => {
  expect(await run('incr', { key: 'n', expire: true, ttl: 100 })).toEqual([{ n: 1 }]);
  await run('push', { list: 'queue', messageData: '{"a":1}' });
  await run('push', { list: 'queue', messageData: 'last', tail: true });
  expect(await run('llen', { list: 'queue' })).toEqual([{ queue: 2 }]);
  expect(await run('pop', { list: 'queue', propertyName: 'value' })).toEqual([{ value: { a: 1 } }]);
  expect(await run('pop', { list: 'queue', propertyName: 'value' })).toEqual([{ value: 'last' }]);
  expect(await run('info', {})).toMatchObject([{ redis_version: expect.any(String), tcp_port: server.port }]);
});

it('names a wrong password', async () => {
  const login = { host: '127.0.0.1', port: server.port, password: 'wrong' };
  const other = await openClientEngine({ credentials: { redis: login } });
  const result = await runFirstOutput(other, clientNode('redis', 'redis', { operation: 'info' }));
  expect(result).toEqual({ error: expect.stringContaining('WRONGPASS') });
  await other.close();
});
