import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import type { AmqpClient, AmqpMessage, ConnectionLimits, ServerLogin } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { allowedAddress, tlsOptions } from './reach.ts';

export async function connectAmqp(settings: ServerLogin, limits: ConnectionLimits): Promise<AmqpClient> {
  const amqp = await loadPackage('amqplib', () => import('amqplib'));
  const { host, port, tls, user, password, database } = settings;
  const address = await allowedAddress(settings, limits);
  const login: Options.Connect = {
    protocol: tls ? 'amqps' : 'amqp',
    hostname: address,
    port,
    ...(user && { username: user, password }),
    vhost: database || '/',
  };
  const opening = amqp.connect(login, { timeout: limits.connectTimeout, ...(tls && tlsOptions(host, tls)) });
  const model = await withinConnectTime(limits, opening, () => void opening.then(destroy, () => {}));
  let onEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  model.on('error', () => {});
  model.on('close', () => onEnd());
  const channel = await model.createConfirmChannel();
  let channelError: Error | undefined;
  channel.on('error', (error) => {
    channelError = error;
  });
  channel.on('close', () => onEnd());
  const connection = new Connection(limits.signal, async (isAborted) => {
    onEnd();
    if (isAborted) return destroy(model);
    await channel.close().catch(() => {});
    await model.close();
  });
  const run = <T>(work: () => Promise<T>) =>
    connection.run(() => work().catch((error) => Promise.reject(channelError ?? error)));
  return {
    close: () => connection.close(),
    assertQueue: (queue, options) => run(async () => void (await channel.assertQueue(queue, options))),
    assertExchange: (exchange, type, options) =>
      run(async () => void (await channel.assertExchange(exchange, type, options))),
    bindQueue: (queue, exchange, key) =>
      run(async () => void (await channel.bindQueue(queue, exchange, key))),
    checkQueue: (queue) => run(async () => void (await channel.checkQueue(queue))),
    checkExchange: (exchange) => run(async () => void (await channel.checkExchange(exchange))),
    publish: ({ exchange, routingKey, content, headers }) =>
      run(async () => {
        channel.publish(exchange, routingKey, Buffer.from(content), { headers });
        await channel.waitForConfirms();
      }),
    consume: (queue, { parallel, acknowledgesAtOnce }, onMessage) =>
      run(async () => {
        if (parallel > 0) await channel.prefetch(parallel);
        await channel.consume(
          queue,
          (message) => {
            // The server has cancelled the consumer, for example because the queue was deleted.
            if (!message) return onEnd();
            onMessage(received(channel, message, acknowledgesAtOnce));
          },
          { noAck: acknowledgesAtOnce },
        );
        return { ended, close: () => connection.close() };
      }),
  };
}

function received(
  channel: ConfirmChannel,
  message: Parameters<ConfirmChannel['ack']>[0],
  isAcknowledged: boolean,
): AmqpMessage {
  const once = (settle: () => void) => {
    if (isAcknowledged) return;
    isAcknowledged = true;
    try {
      settle();
    } catch {
      // The channel is closed: the server delivers the message again.
    }
  };
  return {
    content: message.content,
    fields: { ...message.fields },
    properties: JSON.parse(JSON.stringify(message.properties)) as Record<string, unknown>,
    acknowledge: () => once(() => channel.ack(message)),
    reject: () => once(() => channel.nack(message)),
    discard: () => once(() => channel.nack(message, false, false)),
  };
}

/** Ends a connection without a farewell. */
function destroy(model: ChannelModel): void {
  const { stream } = model.connection as unknown as { stream?: { destroy(): void } };
  stream?.destroy();
}
