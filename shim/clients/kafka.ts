import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, SASLOptions } from 'kafkajs';
import {
  type ConnectionLimits,
  ConnectionNotAllowed,
  type KafkaClient,
  type KafkaSettings,
} from '#core/host';
import { allowedLookup } from '../network/connector-with-rules.ts';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { tlsOptions } from './reach.ts';

export async function connectKafka(settings: KafkaSettings, limits: ConnectionLimits): Promise<KafkaClient> {
  const { CompressionTypes, Kafka, logLevel } = await loadPackage('kafkajs', () => import('kafkajs'));
  const { clientId, brokers, user, password, mechanism = 'plain', tls } = settings;
  const kafka = new Kafka({
    clientId,
    brokers: brokers.map(({ host, port }) => `${host}:${port}`),
    connectionTimeout: limits.connectTimeout,
    logLevel: logLevel.NOTHING,
    retry: { retries: 2 },
    ssl: tls !== undefined,
    ...(user && { sasl: { mechanism, username: user, password: password ?? '' } as SASLOptions }),
    socketFactory: allowedSockets(settings, limits),
  });
  const closers: (() => Promise<void>)[] = [];
  const connection = new Connection(limits.signal, () => Promise.all(closers.map((close) => close())));
  return {
    close: () => connection.close(),
    send: ({ topic, messages, allReplicas, gzip, timeout }) =>
      connection.run(async () => {
        const producer = kafka.producer();
        closers.push(() => producer.disconnect());
        await withinConnectTime(limits, producer.connect(), () => void producer.disconnect().catch(() => {}));
        const report = await producer.send({
          topic,
          messages,
          acks: allReplicas ? -1 : 1,
          timeout,
          compression: gzip ? CompressionTypes.GZIP : CompressionTypes.None,
        });
        return report.map((entry) => ({ ...entry }));
      }),
    consume: ({ topic, groupId, fromBeginning }, onMessage) =>
      connection.run(async () => {
        const consumer = kafka.consumer({ groupId });
        closers.push(() => consumer.disconnect());
        const ended = new Promise<void>((resolve) => {
          consumer.on(consumer.events.DISCONNECT, () => resolve());
          consumer.on(consumer.events.CRASH, () => resolve());
        });
        await consumer.connect();
        await consumer.subscribe({ topic, fromBeginning });
        await consumer.run({
          eachMessage: ({ topic, partition, message: { key, value, headers = {} } }) =>
            onMessage({
              topic,
              partition,
              ...(key && { key: key.toString() }),
              value: value?.toString() ?? '',
              headers: Object.fromEntries(
                Object.entries(headers).map(([name, header]) => [name, String(header ?? '')]),
              ),
            }),
        });
        return { ended, close: () => connection.close() };
      }),
  };
}

/** A broker names the addresses of the others: each connection is checked. */
function allowedSockets({ tls }: KafkaSettings, { allows }: ConnectionLimits): ISocketFactory {
  return ({ host, port, onConnect }) => {
    const lookup = allowedLookup((address) => allows(address, port));
    const socket = tls
      ? connectTls({ host, port, lookup, ...tlsOptions(host, tls) }, onConnect)
      : connectTcp({ host, port, lookup }, onConnect);
    if (isIP(host) && !allows(host, port)) socket.destroy(new ConnectionNotAllowed(host));
    return socket;
  };
}
