/** Sends messages to Kafka, and starts workflows with its messages. */
import { isObject } from '#core/base';
import type { KafkaSettings } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import { firstMessage, type Listen } from '../../node-api/listen.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { textOf, withClient, withSubscription } from '../databases/with-client.ts';
import { commaList } from '../shared/comma-list.ts';
import { fixedCollectionList, flag, group, jsonText, number, options, text } from '../shared/parameters.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';
import { messageText, parsedMessage } from './message-text.ts';
import { keyValues } from './rabbitmq-settings.ts';

export const kafka: NodeType = {
  name: 'n8n-nodes-base.kafka',
  label: 'Kafka',
  description: 'Sends messages to a topic of Kafka.',
  group: 'network',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'kafka', required: true }],
  parameters: [
    text('topic', 'Topic', { required: true }),
    flag('sendInputData', 'Send Input Data', { default: true }),
    text('message', 'Message', { show: { sendInputData: [false] } }),
    flag('jsonParameters', 'JSON Parameters'),
    flag('useSchemaRegistry', 'Use Schema Registry'),
    flag('useKey', 'Use Key'),
    text('key', 'Key', { required: true, show: { useKey: [true] } }),
    fixedCollectionList('headersUi', 'Headers', {
      show: { jsonParameters: [false] },
      groups: [group('headerValues', 'Header', [text('key', 'Key'), text('value', 'Value')])],
    }),
    jsonText('headerParametersJson', 'Headers (JSON)', { show: { jsonParameters: [true] } }),
    options({
      fields: [flag('acks', 'Acks'), flag('compression', 'Compression'), number('timeout', 'Timeout', 30000)],
    }),
  ],
  issues: ({ get }) => (get('useSchemaRegistry') === true ? ['A schema registry cannot be used here'] : []),
  async execute(context) {
    try {
      return [await sendAll(context)];
    } catch (error) {
      return [[failedItem(context, error, 0)]];
    }
  },
};

async function sendAll(context: NodeContext): Promise<Item[]> {
  const batches = new Map<string, { key?: string; value: string; headers: Record<string, string> }[]>();
  for (const [index, item] of context.items().entries()) {
    const topic = String((await context.parameter('topic', index)) ?? '');
    const key =
      (await context.parameter('useKey', index)) === true ? await context.parameter('key', index) : undefined;
    const value = await messageText(context, item, index);
    const message = {
      value,
      headers: await headersOf(context, index),
      ...(key !== undefined && { key: String(key) }),
    };
    batches.set(topic, [...(batches.get(topic) ?? []), message]);
  }
  const shared = {
    allReplicas: (await context.parameter('options.acks', 0, false)) === true,
    gzip: (await context.parameter('options.compression', 0, false)) === true,
    timeout: Number(await context.parameter('options.timeout', 0, 30_000)) || 30_000,
  };
  return withClient(context, 'kafka', kafkaSettings(await context.credential('kafka')), async (client) => {
    const report: JsonObject[] = [];
    for (const [topic, messages] of batches)
      report.push(...(await client.send({ topic, messages, ...shared })));
    return report.length > 0 ? report.map((json) => ({ json })) : [{ json: { success: true } }];
  });
}

async function headersOf(context: NodeContext, index: number): Promise<Record<string, string>> {
  const isJson = (await context.parameter('jsonParameters', index)) === true;
  const stored = await context.parameter<unknown>(isJson ? 'headerParametersJson' : 'headersUi', index);
  const headers = isJson
    ? parseJsonParameter(stored || '{}', 'Headers must be a valid json', { itemIndex: index })
    : keyValues(isObject(stored) ? stored.headerValues : []);
  return Object.fromEntries(
    Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => [name, String(value)]),
  );
}

const listen: Listen = async (context, start) => {
  const flagAt = async (name: string, byDefault = false) =>
    (await context.parameter(`options.${name}`, 0, byDefault)) === true;
  const form = {
    parses: await flagAt('jsonParseMessage'),
    isPlain: await flagAt('onlyMessage'),
    hasHeaders: await flagAt('returnHeaders'),
  };
  const waits = !(await flagAt('parallelProcessing', true));
  const settings = kafkaSettings(await context.credential('kafka'));
  const source = {
    topic: String((await context.parameter('topic', 0)) ?? ''),
    groupId: String((await context.parameter('groupId', 0)) ?? ''),
    fromBeginning: await flagAt('fromBeginning', true),
  };
  return withSubscription(context, 'kafka', settings, (client) =>
    client.consume(source, async ({ value, topic, headers }) => {
      const message = form.parses ? parsedMessage(value) : value;
      const json: JsonObject =
        form.isPlain && isObject(message) ? message : { message, topic, ...(form.hasHeaders && { headers }) };
      const { isAccepted, done } = await start(() => [{ json }]);
      // The broker delivers the message again.
      if (!isAccepted) throw new NodeError('The workflow could not start');
      if (waits) await done;
    }),
  );
};

export const kafkaTrigger: NodeType = {
  name: 'n8n-nodes-base.kafkaTrigger',
  label: 'Kafka Trigger',
  description: 'Starts the workflow with the messages of a topic of Kafka.',
  group: 'trigger',
  versions: [1, 1.1],
  inputs: 0,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'kafka', required: true }],
  parameters: [
    text('topic', 'Topic', { required: true }),
    text('groupId', 'Group ID', { required: true }),
    flag('useSchemaRegistry', 'Use Schema Registry'),
    options({
      fields: [
        flag('fromBeginning', 'Read Messages From Beginning', { default: true }),
        flag('jsonParseMessage', 'JSON Parse Message'),
        flag('onlyMessage', 'Only Message'),
        flag('parallelProcessing', 'Parallel Processing', { default: true }),
        flag('returnHeaders', 'Return Headers'),
      ],
    }),
  ],
  issues: ({ get }) => (get('useSchemaRegistry') === true ? ['A schema registry cannot be used here'] : []),
  execute: async (context) => [await firstMessage(context, listen)],
  listen,
};

function kafkaSettings(credential: JsonObject): KafkaSettings {
  const brokers = commaList(credential.brokers).map((broker) => {
    const [, host = broker, port] = /^(.*):(\d+)$/.exec(broker) ?? [];
    return { host, port: Number(port ?? 9092) };
  });
  if (brokers.length === 0) throw new NodeError('The credential names no broker');
  const mechanism = textOf(credential.saslMechanism);
  return {
    clientId: textOf(credential.clientId) || 'tabd',
    brokers,
    ...(credential.ssl !== false && { tls: {} }),
    ...(credential.authentication === true && {
      user: textOf(credential.username),
      password: textOf(credential.password),
      mechanism: mechanism === 'scram-sha-256' || mechanism === 'scram-sha-512' ? mechanism : 'plain',
    }),
  };
}
