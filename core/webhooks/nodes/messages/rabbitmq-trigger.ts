/** Starts the workflow with the messages of a queue of RabbitMQ. */

import { isObject } from '#core/base';
import type { AmqpMessage } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import { firstMessage, type Listen, type StartByMessage } from '../../node-api/listen.ts';
import type { BinaryData, NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { withSubscription } from '../databases/with-client.ts';
import { choice, fixedCollectionList, flag, group, number, options, text } from '../shared/parameters.ts';
import { DeliveryAttempts, MAX_DELIVERIES, pauseAfter } from './delivery-attempts.ts';
import { parsedMessage } from './message-text.ts';
import { assertOptions, keyValues, rabbitmqSettings } from './rabbitmq-settings.ts';

const listen: Listen = async (context, start) => {
  const queue = String((await context.parameter('queue', 0)) ?? '');
  const form = await formOf(context);
  const acknowledges = String(await context.parameter('options.acknowledge', 0, 'immediately'));
  const parallel = Number(await context.parameter('options.parallelMessages', 0, -1)) || -1;
  const settings = rabbitmqSettings(await context.credential('rabbitmq'));
  return withSubscription(context, 'amqp', settings, async (client) => {
    await prepareQueue(context, client, queue);
    const consumption = {
      parallel: Math.max(0, parallel),
      acknowledgesAtOnce: acknowledges === 'immediately',
    };
    const attempts = new DeliveryAttempts(context, queue);
    const run = (message: AmqpMessage) => start((files) => itemsOf(message, form, files));
    return client.consume(queue, consumption, (message) => {
      if (consumption.acknowledgesAtOnce) return void run(message);
      const needsSuccess = acknowledges === 'executionFinishesSuccessfully';
      // A message without an answer comes again when the connection ends.
      settle(message, { run, needsSuccess, attempts, context }).catch((error) => {
        if (context.signal.aborted) return;
        context.log.error('webhooks: a message of RabbitMQ has no answer yet', { error: String(error) });
      });
    });
  });
};

interface Settling {
  run: (message: AmqpMessage) => ReturnType<StartByMessage>;
  /** A message whose run fails comes again. */
  needsSuccess: boolean;
  attempts: DeliveryAttempts;
  context: NodeContext;
}

/** Runs the workflow with a message, and answers the server by the result. A message that always fails is discarded. */
async function settle(
  message: AmqpMessage,
  { run, needsSuccess, attempts, context }: Settling,
): Promise<void> {
  const delivery = await attempts.count(message);
  // Each earlier run failed, or ended the process.
  if (delivery > MAX_DELIVERIES) return discard(message, delivery, { attempts, context });
  const { isAccepted, done } = await run(message);
  const succeeded = await done;
  if (isAccepted && (succeeded || !needsSuccess)) {
    await attempts.forget(message, delivery);
    return message.acknowledge();
  }
  if (isAccepted && delivery === MAX_DELIVERIES) return discard(message, delivery, { attempts, context });
  // A full queue of this server is no fault of the message.
  if (!isAccepted) await attempts.uncount(message, delivery);
  await context.sleep(pauseAfter(delivery));
  message.reject();
}

async function discard(
  message: AmqpMessage,
  delivery: number,
  { attempts, context }: Pick<Settling, 'attempts' | 'context'>,
): Promise<void> {
  await attempts.forget(message, delivery);
  context.log.error('webhooks: a message of RabbitMQ failed in each delivery, and is not queued again', {
    workflow: context.workflow.id,
    node: context.node.name,
    deliveries: MAX_DELIVERIES,
  });
  message.discard();
}

export const rabbitmqTrigger: NodeType = {
  name: 'n8n-nodes-base.rabbitmqTrigger',
  label: 'RabbitMQ Trigger',
  description: 'Starts the workflow with the messages of a queue of RabbitMQ.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'rabbitmq', required: true }],
  parameters: [
    text('queue', 'Queue / Topic', { required: true, placeholder: 'queue-name' }),
    options({
      fields: [
        choice('acknowledge', 'Delete From Queue When', 'immediately', {
          options: {
            executionFinishes: 'Execution Finishes',
            executionFinishesSuccessfully: 'Execution Finishes Successfully',
            immediately: 'Immediately',
          },
        }),
        fixedCollectionList('arguments', 'Arguments', {
          groups: [group('argument', 'Argument', [text('key', 'Key'), text('value', 'Value')])],
        }),
        flag('assertExchange', 'Assert Exchange', { default: true }),
        flag('assertQueue', 'Assert Queue', { default: true }),
        flag('autoDelete', 'Auto Delete Queue'),
        fixedCollectionList('binding', 'Binding', {
          groups: [
            group('bindings', 'Binding', [text('exchange', 'Exchange'), text('routingKey', 'Routing Key')]),
          ],
        }),
        flag('contentIsBinary', 'Content Is Binary'),
        flag('durable', 'Durable', { default: true }),
        flag('exclusive', 'Exclusive'),
        flag('jsonParseBody', 'JSON Parse Body'),
        flag('onlyContent', 'Only Content'),
        number('parallelMessages', 'Parallel Message Processing Limit', -1),
      ],
    }),
  ],
  issues: ({ get }) =>
    get('options.acknowledge') === 'laterMessageNode'
      ? [
          '"Delete From Queue When: Specified Later in Workflow" is not there: choose "Execution Finishes Successfully"',
        ]
      : [],
  execute: async (context) => [await firstMessage(context, listen)],
  listen,
};

async function prepareQueue(
  context: NodeContext,
  client: Awaited<ReturnType<typeof context.connect<'amqp'>>>,
  queue: string,
): Promise<void> {
  const creates = (await context.parameter('options.assertQueue', 0, true)) !== false;
  if (creates) await client.assertQueue(queue, await assertOptions(context, 0));
  else await client.checkQueue(queue);
  const bindings = await context.parameter<JsonObject>('options.binding', 0, {});
  const list = isObject(bindings) && Array.isArray(bindings.bindings) ? bindings.bindings : [];
  for (const { exchange, routingKey } of list.filter(isObject)) {
    await client.bindQueue(queue, String(exchange ?? ''), String(routingKey ?? ''));
  }
}

interface MessageForm {
  isFile: boolean;
  parses: boolean;
  isPlain: boolean;
}

async function formOf(context: NodeContext): Promise<MessageForm> {
  const isOn = async (name: string) => (await context.parameter(`options.${name}`, 0, false)) === true;
  const parses = await isOn('jsonParseBody');
  return { isFile: await isOn('contentIsBinary'), parses, isPlain: parses && (await isOn('onlyContent')) };
}

async function itemsOf(message: AmqpMessage, form: MessageForm, files: BinaryData): Promise<Item[]> {
  const { fields, properties, content } = message;
  const headers = isObject(properties.headers) ? properties.headers : keyValues([]);
  if (form.isFile) {
    return [
      {
        json: { fields, properties: { ...properties, headers } },
        binary: { data: await files.prepare(content) },
      },
    ];
  }
  const text = new TextDecoder().decode(content);
  const value = form.parses ? parsedMessage(text) : text;
  if (form.isPlain && isObject(value)) return [{ json: value }];
  return [{ json: { content: value, fields, properties: { ...properties, headers } } }];
}
