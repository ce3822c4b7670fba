/** Conversations of agents in real databases: Postgres and Redis. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeClients } from '#shim/clients/clients.ts';
import { startPostgres, startRedis } from '#test/support/servers/databases.ts';
import type { StartedServer } from '#test/support/servers/server-process.ts';
import { aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';

let servers: StartedServer[] = [];
beforeAll(async () => {
  servers = await Promise.all([startPostgres(), startRedis()]);
}, 120_000);
afterAll(() => Promise.all(servers.map((server) => server.stop())));

it.each(['memoryPostgresChat', 'memoryRedisChat'])('%s: an agent remembers what was said', async (type) => {
  const [postgres, redis] = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const logins: Record<string, object> = {
    postgres: { ...postgres, user: 'postgres', database: 'postgres' },
    redis: { ...redis, password: 'secret' },
  };
  const data = async (kind: string) => ({ apiKey: 'k', url: 'http://models/v1', ...logins[kind] });
  const { run, models } = await openAi(
    ["I'm fine", 'Ann', 'None'].map((text) => ({ text })),
    { credentials: { data } },
    { clients: nodeClients },
  );
  const memory = { sessionIdType: 'customKey', sessionKey: '={{ $json.session }}', contextWindowLength: 2 };
  const workflow = aiWorkflow({
    Agent: { type: 'agent', version: 1.7, parameters: { promptType: 'define', text: '={{ $json.text }}' } },
    Model: model('Agent'),
    Memory: { type, version: 1.3, parameters: memory, to: ['ai_memory', 'Agent'] },
  });
  const ask = async (session: string, text: string) =>
    itemsOf(await run(workflow, [{ session, text }]), 'Agent');
  expect(await ask("a'b", 'I am Ann. How are you?')).toEqual([{ output: "I'm fine" }]);
  expect(await ask("a'b", 'Who am I?')).toEqual([{ output: 'Ann' }]);
  expect(await ask('other', 'Who am I?')).toEqual([{ output: 'None' }]);
  const texts = models.requests.map(({ body }) =>
    (body as { messages: { role: string; content: string }[] }).messages
      .filter(({ role }) => role !== 'system')
      .map(({ content }) => content),
  );
  expect(texts).toEqual([
    ['I am Ann. How are you?'],
    ['I am Ann. How are you?', "I'm fine", 'Who am I?'],
    ['Who am I?'],
  ]);
});
