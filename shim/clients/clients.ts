/** The clients of this computer. The package of each is loaded when it is first needed. */
import type { ClientKind, ClientKinds, Clients, ConnectionLimits } from '#core/host';

type Connect<K extends ClientKind> = (
  settings: ClientKinds[K]['settings'],
  limits: ConnectionLimits,
) => Promise<ClientKinds[K]['client']>;

const connectors: { [K in ClientKind]: () => Promise<Connect<K>> } = {
  postgres: async () => (await import('./postgres.ts')).connectPostgres,
  mysql: async () => (await import('./mysql.ts')).connectMysql,
  redis: async () => (await import('./redis.ts')).connectRedis,
  mongodb: async () => (await import('./mongodb.ts')).connectMongo,
  ftp: async () => (await import('./ftp.ts')).connectFtp,
  sftp: async () => (await import('./sftp.ts')).connectSftp,
  ssh: async () => (await import('./ssh.ts')).connectSsh,
  amqp: async () => (await import('./amqp.ts')).connectAmqp,
  mqtt: async () => (await import('./mqtt.ts')).connectMqtt,
  kafka: async () => (await import('./kafka.ts')).connectKafka,
  smtp: async () => (await import('./smtp.ts')).connectSmtp,
  imap: async () => (await import('./imap.ts')).connectImap,
};

export const nodeClients: Clients = {
  async connect(kind, settings, limits) {
    const connect = (await connectors[kind]()) as Connect<typeof kind>;
    return connect(settings, limits);
  },
};
