/** Sends messages to queues and exchanges of RabbitMQ. */
import type { AmqpClient } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { withClient } from '../databases/with-client.ts';
import { choice, fixedCollectionList, flag, group, options, text } from '../shared/parameters.ts';
import { messageText } from './message-text.ts';
import { assertOptions, keyValues, rabbitmqSettings } from './rabbitmq-settings.ts';

const sends = { operation: ['sendMessage'] };
const toQueue = { ...sends, mode: ['queue'] };
const toExchange = { ...sends, mode: ['exchange'] };

export const rabbitmq: NodeType = {
  name: 'n8n-nodes-base.rabbitmq',
  label: 'RabbitMQ',
  description: 'Sends messages to queues and exchanges of RabbitMQ.',
  group: 'network',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'rabbitmq', required: true }],
  parameters: [
    choice('operation', 'Operation', 'sendMessage', {
      literal: true,
      options: { sendMessage: 'Send a Message to RabbitMQ', deleteMessage: 'Delete From Queue' },
    }),
    choice('mode', 'Mode', 'queue', { show: sends, options: { queue: 'Queue', exchange: 'Exchange' } }),
    text('queue', 'Queue / Topic', { required: true, show: toQueue }),
    text('exchange', 'Exchange', { required: true, show: toExchange }),
    choice('exchangeType', 'Type', 'fanout', {
      show: toExchange,
      options: ['direct', 'topic', 'headers', 'fanout'],
    }),
    text('routingKey', 'Routing Key', { show: toExchange }),
    flag('sendInputData', 'Send Input Data', { default: true, show: sends }),
    text('message', 'Message', { show: { ...sends, sendInputData: [false] } }),
    options({
      show: sends,
      fields: [
        text('alternateExchange', 'Alternate Exchange'),
        fixedCollectionList('arguments', 'Arguments', {
          groups: [group('argument', 'Argument', [text('key', 'Key'), text('value', 'Value')])],
        }),
        flag('assertExchange', 'Assert Exchange', { default: true }),
        flag('assertQueue', 'Assert Queue', { default: true }),
        flag('autoDelete', 'Auto Delete Queue'),
        flag('durable', 'Durable', { default: true }),
        flag('exclusive', 'Exclusive'),
        fixedCollectionList('headers', 'Headers', {
          groups: [group('header', 'Header', [text('key', 'Key'), text('value', 'Value')])],
        }),
      ],
    }),
  ],
  issues: ({ get }) =>
    get('operation') === 'deleteMessage'
      ? ['"Delete From Queue" is not there: set "Delete From Queue When" of the trigger to another choice']
      : [],
  async execute(context) {
    if (context.literal('operation') !== 'sendMessage') throw new NodeError('This operation is not there');
    const settings = rabbitmqSettings(await context.credential('rabbitmq'));
    return withClient(context, 'amqp', settings, async (client) => {
      const asserted = new Set<string>();
      return perItem(context, (item, index) => send({ context, client, asserted }, item, index));
    });
  },
};

interface Sending {
  context: NodeContext;
  client: AmqpClient;
  /** The queues and exchanges that exist. */
  asserted: Set<string>;
}

async function send(sending: Sending, item: Item, index: number): Promise<Item> {
  const { context, client } = sending;
  const isQueue = (await context.parameter('mode', index)) !== 'exchange';
  const name = String((await context.parameter(isQueue ? 'queue' : 'exchange', index)) ?? '');
  await assertTarget(sending, { isQueue, name, index });
  const headers = await context.parameter<JsonObject>('options.headers', index, {});
  const content = new TextEncoder().encode(await messageText(context, item, index));
  const routingKey = isQueue ? name : String((await context.parameter('routingKey', index)) ?? '');
  await client.publish({
    exchange: isQueue ? '' : name,
    routingKey,
    content,
    headers: keyValues(headers?.header),
  });
  return { json: { success: true } };
}

async function assertTarget(
  { context, client, asserted }: Sending,
  { isQueue, name, index }: { isQueue: boolean; name: string; index: number },
): Promise<void> {
  const key = `${isQueue} ${name}`;
  if (asserted.has(key)) return;
  const option = isQueue ? 'options.assertQueue' : 'options.assertExchange';
  const creates = (await context.parameter(option, index, true)) !== false;
  const more = await assertOptions(context, index);
  if (isQueue) await (creates ? client.assertQueue(name, more) : client.checkQueue(name));
  else {
    const type = String(await context.parameter('exchangeType', index));
    await (creates ? client.assertExchange(name, type, more) : client.checkExchange(name));
  }
  asserted.add(key);
}
