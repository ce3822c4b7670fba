/** Sends messages to a broker of MQTT, and starts workflows with its messages. */
import type { MqttSettings } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import { firstMessage, type Listen } from '../../node-api/listen.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { textOf, withClient, withSubscription } from '../databases/with-client.ts';
import { commaList } from '../shared/comma-list.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';
import { messageText, parsedMessage } from './message-text.ts';

export const mqtt: NodeType = {
  name: 'n8n-nodes-base.mqtt',
  label: 'MQTT',
  description: 'Sends messages to a broker of MQTT.',
  group: 'network',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'mqtt', required: true }],
  parameters: [
    text('topic', 'Topic', { required: true }),
    flag('sendInputData', 'Send Input Data', { default: true }),
    text('message', 'Message', { required: true, show: { sendInputData: [false] } }),
    options({
      fields: [
        choice('qos', 'QoS', 0, {
          options: [
            { value: 0, label: 'Received at Most Once' },
            { value: 1, label: 'Received at Least Once' },
            { value: 2, label: 'Exactly Once' },
          ],
        }),
        flag('retain', 'Retain'),
      ],
    }),
  ],
  async execute(context) {
    return withClient(context, 'mqtt', mqttSettings(await context.credential('mqtt')), (client) =>
      perItem(context, async (item, index) => {
        const topic = String((await context.parameter('topic', index)) ?? '');
        const qos = qualityOf(await context.parameter('options.qos', index, 0));
        const retain = (await context.parameter('options.retain', index, false)) === true;
        await client.publish(topic, await messageText(context, item, index), { qos, retain });
        return item;
      }),
    );
  },
};

const listen: Listen = async (context, start) => {
  const topics = Object.fromEntries(
    commaList(await context.parameter('topics', 0)).map((entry) => {
      const [topic = '', qos = 0] = entry.split(':');
      return [topic, qualityOf(qos)];
    }),
  );
  const parses = (await context.parameter('options.jsonParseBody', 0, false)) === true;
  const isPlain = (await context.parameter('options.onlyMessage', 0, false)) === true;
  const isParallel = (await context.parameter('options.parallelProcessing', 0, true)) !== false;
  const settings = mqttSettings(await context.credential('mqtt'));
  let former: Promise<unknown> = Promise.resolve();
  return withSubscription(context, 'mqtt', settings, (client) =>
    client.subscribe(topics, (topic, bytes) => {
      const received = new TextDecoder().decode(bytes);
      const message = parses ? parsedMessage(received) : received;
      const json = (isPlain ? { message } : { message, topic }) as JsonObject;
      const run = async () => (await start(() => [{ json }])).done;
      former = isParallel ? run() : former.then(run);
    }),
  );
};

export const mqttTrigger: NodeType = {
  name: 'n8n-nodes-base.mqttTrigger',
  label: 'MQTT Trigger',
  description: 'Starts the workflow with the messages of a broker of MQTT.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'mqtt', required: true }],
  parameters: [
    text('topics', 'Topics', {
      required: true,
      description: 'Separated by commas. A number from 0 to 2 after a colon is the quality of service.',
    }),
    options({
      fields: [
        flag('jsonParseBody', 'JSON Parse Body'),
        flag('onlyMessage', 'Only Message'),
        flag('parallelProcessing', 'Parallel Processing', { default: true }),
      ],
    }),
  ],
  execute: async (context) => [await firstMessage(context, listen)],
  listen,
};

function qualityOf(value: unknown): 0 | 1 | 2 {
  const qos = Number(value);
  if (qos === 0 || qos === 1 || qos === 2) return qos;
  throw new NodeError(`The quality of service must be 0, 1 or 2, not "${String(value)}"`);
}

function mqttSettings(credential: JsonObject): MqttSettings {
  const protocol = textOf(credential.protocol) || 'mqtt';
  if (protocol === 'ws')
    throw new NodeError('MQTT over WebSockets is not there: choose the protocol mqtt or mqtts');
  const isEncrypted = protocol === 'mqtts' || credential.ssl === true;
  return {
    host: textOf(credential.host),
    port: Number(credential.port) || 1883,
    user: textOf(credential.username),
    password: textOf(credential.password),
    clientId: textOf(credential.clientId),
    clean: credential.clean !== false,
    ...(isEncrypted && {
      tls: {
        acceptsAnyCertificate: credential.rejectUnauthorized !== true,
        ca: textOf(credential.ca),
        cert: textOf(credential.cert),
        key: textOf(credential.key),
      },
    }),
  };
}
