import type { ConnectionLimits, RedisClient, RedisReply, ServerLogin, Subscription } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { allowedAddress, tlsOptions } from './reach.ts';

export async function connectRedis(settings: ServerLogin, limits: ConnectionLimits): Promise<RedisClient> {
  const { createClient } = await loadPackage('redis', () => import('redis'));
  const { host, port, tls, user, password } = settings;
  const address = await allowedAddress(settings, limits);
  const socket = {
    host: address,
    port,
    connectTimeout: limits.connectTimeout,
    reconnectStrategy: false as const,
  };
  const client = createClient({
    // Replies of the older protocol are lists and texts.
    RESP: 2,
    ...(user && { username: user }),
    ...(password && { password }),
    ...(settings.database && { database: Number(settings.database) }),
    socket: tls ? { ...socket, tls: true, ...tlsOptions(host, tls) } : socket,
  });
  let onEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  // Pending commands reject with the error as well.
  client.on('error', () => onEnd());
  client.on('end', () => onEnd());
  await withinConnectTime(limits, client.connect(), () => client.destroy());
  const connection = new Connection(limits.signal, (isAborted) => {
    if (isAborted || !client.isReady) client.destroy();
    else return client.close();
  });
  return {
    close: () => connection.close(),
    send: (command) => connection.run(() => client.sendCommand(command) as Promise<RedisReply>),
    async subscribe(patterns, onMessage): Promise<Subscription> {
      await connection.run(() => client.pSubscribe(patterns, onMessage));
      return { ended, close: () => connection.close() };
    },
  };
}
