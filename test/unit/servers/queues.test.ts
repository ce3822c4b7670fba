/** The nodes of message queues against real servers: RabbitMQ and Mosquitto. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_DELIVERIES } from '#core/webhooks/nodes/messages/delivery-attempts.ts';
import type { JsonObject } from '#core/workflow-format';
import { type ClientEngine, clientNode, openClientServer } from '#test/support/servers/client-engine.ts';
import { startRedis } from '#test/support/servers/databases.ts';
import { startMosquitto, startRabbitMq } from '#test/support/servers/queues.ts';
import type { StartedServer } from '#test/support/servers/server-process.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let servers: StartedServer[] = [];
let webhooks: ClientEngine;

beforeAll(async () => {
  servers = await Promise.all([startRabbitMq(), startMosquitto(), startRedis()]);
  const [rabbit, mosquitto, redis] = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  webhooks = await openClientServer({
    rabbitmq: { hostname: '127.0.0.1', port: rabbit!.port, username: 'guest', password: 'guest', vhost: '/' },
    mqtt: { ...mosquitto!, protocol: 'mqtt', clientId: '' },
    redis: { ...redis!, password: 'secret' },
  });
}, 180_000);

afterAll(async () => {
  await webhooks?.close();
  await Promise.all(servers.map((server) => server.stop()));
});

const rabbit = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(webhooks.engine, clientNode('rabbitmq', 'rabbitmq', parameters, 1.1), input);

/** Publishes a trigger, and returns the items of its executions. */
async function published(id: string, node: ReturnType<typeof clientNode>) {
  const workflow = workflowOf({ Trigger: node, End: { type: 'noOp' } }, ['Trigger -> End'], { id });
  await webhooks.publish(workflow);
  await expect
    .poll(
      () =>
        webhooks.host.logged.filter(
          ({ message, fields }) => message.endsWith('listens') && fields?.workflow === id,
        ).length,
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0);
  return async () => {
    const executions = await webhooks.engine.executions.list({ workflowId: id });
    const details = await Promise.all(executions.map((entry) => webhooks.engine.executions.get(entry.id)));
    return details.flatMap((found) =>
      (found?.detail?.data.resultData.runData.End?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json),
    );
  };
}

it('RabbitMQ: a queue passes messages to a published workflow', async () => {
  const node = clientNode('rabbitmqTrigger', 'rabbitmq', {
    queue: 'orders',
    options: { jsonParseBody: true, acknowledge: 'executionFinishesSuccessfully', binding: { bindings: [] } },
  });
  const items = await published('rabbit', node);
  expect(
    await rabbit({ queue: 'orders', options: { headers: { header: [{ key: 'k', value: 'v' }] } } }, [
      { a: 1 },
    ]),
  ).toEqual([{ success: true }]);
  await expect
    .poll(items, { timeout: 30_000 })
    .toMatchObject([
      { content: { a: 1 }, fields: { routingKey: 'orders' }, properties: { headers: { k: 'v' } } },
    ]);
});

it('RabbitMQ: a message whose runs always fail is delivered five times, and the next one arrives', async () => {
  const node = clientNode('rabbitmqTrigger', 'rabbitmq', {
    queue: 'poison',
    options: { acknowledge: 'executionFinishesSuccessfully' },
  });
  const workflow = workflowOf(
    { Trigger: node, Fail: { type: 'stopAndError', parameters: { errorMessage: 'always' } } },
    ['Trigger -> Fail'],
    { id: 'poison' },
  );
  await webhooks.publish(workflow);
  const runs = async () => (await webhooks.engine.executions.list({ workflowId: 'poison' })).length;
  const logged = () => webhooks.host.logged.filter(({ message }) => message.endsWith('is not queued again'));
  await rabbit({ queue: 'poison', sendInputData: false, message: 'bad' });
  await expect.poll(() => logged().length, { timeout: 60_000 }).toBe(1);
  expect(await runs()).toBe(MAX_DELIVERIES);
  // A second message is counted separately, and only the first had reached its end.
  await rabbit({ queue: 'poison', sendInputData: false, message: 'other' });
  await expect.poll(runs, { timeout: 30_000 }).toBe(MAX_DELIVERIES + 1);
  expect(logged()).toHaveLength(1);
  await webhooks.publishing.unpublish('poison');
}, 120_000);

it('RabbitMQ: exchanges, and queues that do not exist', async () => {
  const exchange = {
    mode: 'exchange',
    exchange: 'all',
    exchangeType: 'topic',
    routingKey: 'a.b',
    sendInputData: false,
    message: 'hi',
  };
  expect(await rabbit(exchange)).toEqual([{ success: true }]);
  expect(await rabbit({ queue: 'none', options: { assertQueue: false } })).toEqual({
    error: expect.stringContaining("no queue 'none'"),
  });
});

it('MQTT: a topic passes messages, also to a run in the editor', async () => {
  const trigger = clientNode('mqttTrigger', 'mqtt', { topics: 'a/+:1', options: { jsonParseBody: true } });
  const items = await published('mqtt', trigger);
  const send = clientNode('mqtt', 'mqtt', { topic: 'a/b', options: { qos: 1 } });
  expect(await runFirstOutput(webhooks.engine, send, [{ x: [1] }])).toEqual([{ x: [1] }]);
  await expect.poll(items, { timeout: 30_000 }).toEqual([{ message: { x: [1] }, topic: 'a/b' }]);

  const retained = clientNode('mqtt', 'mqtt', {
    topic: 'kept',
    sendInputData: false,
    message: 'old',
    options: { retain: true },
  });
  await runFirstOutput(webhooks.engine, retained);
  const first = clientNode('mqttTrigger', 'mqtt', { topics: 'kept', options: { onlyMessage: true } });
  const handle = await webhooks.engine.executions.start({
    workflow: workflowOf({ Trigger: first }, []),
    mode: 'manual',
    node: 'Trigger',
    test: true,
  });
  const { state } = await handle.done;
  expect(state.runData.Trigger?.[0]?.data?.main?.[0]?.[0]?.json).toEqual({ message: 'old' });
});

it('Redis: a channel passes messages; unpublishing ends the connection', async () => {
  const trigger = clientNode('redisTrigger', 'redis', {
    channels: 'news*',
    options: { jsonParseBody: true },
  });
  const items = await published('redis', trigger);
  const publish = clientNode('redis', 'redis', {
    operation: 'publish',
    channel: 'news.a',
    messageData: '{"n":1}',
  });
  await runFirstOutput(webhooks.engine, publish);
  await expect.poll(items, { timeout: 30_000 }).toEqual([{ channel: 'news.a', message: { n: 1 } }]);
  const clients = async () => {
    const { outputs } = await runWebhookNode(
      webhooks.engine,
      clientNode('redis', 'redis', { operation: 'info' }),
    );
    return outputs[0]?.[0]?.connected_clients;
  };
  expect(await clients()).toBe(2);
  await webhooks.publishing.unpublish('redis');
  await expect.poll(clients, { timeout: 30_000 }).toBe(1);
});
