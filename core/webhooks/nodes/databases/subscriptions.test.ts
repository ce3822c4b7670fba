import { expect, it, onTestFinished } from 'vitest';
import { clientNode } from '#test/support/servers/client-engine.ts';
import { scriptedClients } from '#test/support/servers/scripted-clients.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';

const refuse = () => {
  throw new Error('the server refused');
};

const triggers = {
  redis: { node: clientNode('redisTrigger', 'redis', { channels: 'news' }), method: 'subscribe' },
  mqtt: { node: clientNode('mqttTrigger', 'mqtt', { topics: 'news' }), method: 'subscribe' },
  kafka: { node: clientNode('kafkaTrigger', 'kafka', { topic: 't', groupId: 'g' }), method: 'consume' },
  rabbitmq: { node: clientNode('rabbitmqTrigger', 'rabbitmq', { queue: 'q' }), method: 'consume' },
  imap: { node: clientNode('emailReadImap', 'imap', { mailbox: 'INBOX' }, 2), method: 'search' },
};

it.each(Object.entries(triggers))('closes a refused subscription of %s', async (_name, { node, method }) => {
  const { clients, calls } = scriptedClients({ [method]: refuse });
  const login = { host: 'server', hostname: 'server', brokers: 'server:9092' };
  const { engine } = await openEngine({ clients }, { credentials: { data: async () => login } });
  onTestFinished(() => engine.close());
  const workflow = workflowOf({ Trigger: node }, []);
  const { done } = await engine.executions.start({ workflow, mode: 'manual', node: 'Trigger', test: true });
  const { state } = await done;
  expect(state.runData.Trigger?.[0]?.error?.message).toContain('the server refused');
  expect(calls.map(([name]) => name)).toContain(method);
  expect(calls.at(-1)).toEqual(['close']);
});
