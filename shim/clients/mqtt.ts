import type { MqttClient as Connected, IClientOptions } from 'mqtt';
import type { ConnectionLimits, MqttClient, MqttSettings } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { allowedAddress, tlsOptions } from './reach.ts';

export async function connectMqtt(settings: MqttSettings, limits: ConnectionLimits): Promise<MqttClient> {
  const { default: mqtt } = await loadPackage('mqtt', () => import('mqtt'));
  const { host, port, tls, user, password, clientId, clean } = settings;
  const options: IClientOptions = {
    protocol: tls ? 'mqtts' : 'mqtt',
    host: await allowedAddress(settings, limits),
    port,
    reconnectPeriod: 0,
    connectTimeout: limits.connectTimeout,
    ...(user && { username: user, password }),
    ...(clientId && { clientId }),
    clean: clean !== false,
    ...(tls && tlsOptions(host, tls)),
  };
  const client = mqtt.connect(options);
  let onEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  client.on('close', () => onEnd());
  await withinConnectTime(limits, connected(client), () => client.end(true));
  // Pending work rejects with the error as well.
  client.on('error', () => {});
  const connection = new Connection(limits.signal, (isAborted) => client.endAsync(isAborted));
  return {
    close: () => connection.close(),
    publish: (topic, message, { qos, retain }) =>
      connection.run(async () => void (await client.publishAsync(topic, message, { qos, retain }))),
    subscribe: (topics, onMessage) =>
      connection.run(async () => {
        client.on('message', onMessage);
        const map = Object.fromEntries(Object.entries(topics).map(([topic, qos]) => [topic, { qos }]));
        await client.subscribeAsync(map);
        return { ended, close: () => connection.close() };
      }),
  };
}

function connected(client: Connected): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('The server closed the connection')));
  });
}
