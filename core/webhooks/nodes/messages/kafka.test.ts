import { expect, it, onTestFinished } from 'vitest';
import { clientNode } from '#test/support/servers/client-engine.ts';
import { scriptedClients } from '#test/support/servers/scripted-clients.ts';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';

const login = {
  clientId: 'c',
  brokers: 'one:9093, two',
  ssl: false,
  authentication: true,
  username: 'u',
  password: 'p',
};

async function open(methods: Parameters<typeof scriptedClients>[0]) {
  const { clients, calls } = scriptedClients(methods);
  const { engine } = await openEngine({ clients }, { credentials: { data: async () => login } });
  onTestFinished(() => engine.close());
  return { engine, calls };
}

it('sends the messages of a topic together', async () => {
  const { engine, calls } = await open({ send: () => [{ topicName: 't', partition: 0, errorCode: 0 }] });
  const headersUi = { headerValues: [{ key: 'h', value: 1 }] };
  const node = clientNode('kafka', 'kafka', {
    topic: 't',
    useKey: true,
    key: '={{ $json.k }}',
    headersUi,
    options: { acks: true },
  });
  expect(await runFirstOutput(engine, node, [{ k: 'a' }, { k: 'b' }])).toEqual([
    { topicName: 't', partition: 0, errorCode: 0 },
  ]);
  const brokers = [
    { host: 'one', port: 9093 },
    { host: 'two', port: 9092 },
  ];
  expect(calls[0]).toEqual([
    'connect',
    'kafka',
    { clientId: 'c', brokers, user: 'u', password: 'p', mechanism: 'plain' },
  ]);
  const messages = ['a', 'b'].map((k) => ({ key: k, value: JSON.stringify({ k }), headers: { h: '1' } }));
  expect(calls[1]).toEqual([
    'send',
    { topic: 't', messages, allReplicas: true, gzip: false, timeout: 30000 },
  ]);
});

it('a run in the editor takes the first message', async () => {
  const message = { topic: 't', partition: 0, value: '{"a":1}', headers: { h: 'v' } };
  const { engine } = await open({
    consume: (_source: never, onMessage: (received: object) => void) => {
      onMessage(message);
      return { ended: new Promise(() => {}), close: async () => {} };
    },
  });
  const options = { jsonParseMessage: true, returnHeaders: true };
  const trigger = clientNode('kafkaTrigger', 'kafka', { topic: 't', groupId: 'g', options });
  const workflow = workflowOf({ Trigger: trigger }, []);
  const { done } = await engine.executions.start({ workflow, mode: 'manual', node: 'Trigger', test: true });
  const { state } = await done;
  expect(state.runData.Trigger?.[0]?.data?.main?.[0]?.[0]?.json).toEqual({
    message: { a: 1 },
    topic: 't',
    headers: { h: 'v' },
  });
});
