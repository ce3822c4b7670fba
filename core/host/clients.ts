/**
 * Clients of servers that do not speak HTTP: databases, queues, file servers, mail. A browser makes no such connections,
 * so only some platforms have them.
 */

/** Opens connections. Each ends with `close`, and when its signal aborts. */
export interface Clients {
  /**
   * Connects and logs in.
   * @throws ConnectionNotAllowed when no address of the host is allowed; ClientUnavailable when a package is missing;
   *   the error of the server or of the network
   */
  connect<K extends ClientKind>(
    kind: K,
    settings: ClientKinds[K]['settings'],
    limits: ConnectionLimits,
  ): Promise<ClientKinds[K]['client']>;
}

export interface ConnectionLimits {
  /** Whether a connection to an IP address may be made. Asked with the resolved address, before each connection. */
  allows(address: string, port: number): boolean;
  /** Ends the connection. Its pending work rejects with the reason. */
  signal: AbortSignal;
  /** Bytes that one connection may receive, or one file may have. */
  maxBytes: number;
  /** Milliseconds for connecting and logging in. */
  connectTimeout: number;
}

/** The package of a client is not installed. The message names it. */
export class ClientUnavailable extends Error {
  override name = 'ClientUnavailable';
}

export type ClientKind = keyof ClientKinds;

/** The settings and the client of each kind of server. */
export interface ClientKinds {
  postgres: { settings: SqlSettings; client: SqlClient };
  mysql: { settings: SqlSettings; client: SqlClient };
  redis: { settings: ServerLogin; client: RedisClient };
  mongodb: { settings: { url: string; database: string; tls?: TlsSettings }; client: MongoClient };
  ftp: { settings: ServerLogin; client: FileServerClient };
  sftp: { settings: ServerLogin & SshKey; client: FileServerClient };
  amqp: { settings: ServerLogin; client: AmqpClient };
  mqtt: { settings: MqttSettings; client: MqttClient };
  kafka: { settings: KafkaSettings; client: KafkaClient };
  smtp: { settings: SmtpSettings; client: MailSender };
  imap: { settings: ServerLogin; client: MailboxClient };
}

export interface ServerLogin {
  host: string;
  port: number;
  user?: string;
  password?: string;
  /** The name of a database, the number of one in Redis, the virtual host of AMQP. */
  database?: string;
  /** Undefined: the connection is not encrypted. */
  tls?: TlsSettings;
}

export interface TlsSettings {
  acceptsAnyCertificate?: boolean;
  /** PEM */
  ca?: string;
  cert?: string;
  key?: string;
  passphrase?: string;
  /** The connection begins unencrypted and is encrypted before the login. */
  startTls?: boolean;
  /** Without encryption where the server has none. */
  isOptional?: boolean;
}

export interface SshKey {
  privateKey?: string;
  passphrase?: string;
}

export interface Client {
  /** Rejects never. Pending work fails. */
  close(): Promise<void>;
}

/** A connection that receives messages until it ends. */
export interface Subscription extends Client {
  /** Resolves when the connection has ended, here or there. */
  readonly ended: Promise<void>;
}

export interface SqlSettings extends ServerLogin {
  /**
   * Integers of 64 bits and decimals as numbers, which may lose digits, or as texts. By default they are texts in
   * Postgres; MySQL has numbers for integers without a loss.
   */
  numbers?: { large?: boolean; decimal?: boolean };
}

export interface SqlClient extends Client {
  /** One result for each statement. Without values the text may contain several. */
  query(text: string, values?: unknown[]): Promise<SqlResult[]>;
}

export interface SqlResult {
  /** JSON values: dates are texts in ISO 8601. Undefined: the statement returns no rows. */
  rows?: Record<string, unknown>[];
  /** The server's report of a statement without rows. */
  report?: Record<string, unknown>;
}

export interface RedisClient extends Client {
  /** Replies of RESP2: texts, numbers, null and lists of them. */
  send(command: string[]): Promise<RedisReply>;
  /** The connection then takes no other command. */
  subscribe(patterns: string[], onMessage: (message: string, channel: string) => void): Promise<Subscription>;
}

export type RedisReply = string | number | null | RedisReply[];

/** Documents are JSON; `_id` is a text of 24 digits where it is an ObjectId. */
export interface MongoClient extends Client {
  find(collection: string, query: MongoQuery): Promise<Record<string, unknown>[]>;
  aggregate(collection: string, pipeline: unknown[]): Promise<Record<string, unknown>[]>;
  /** @returns the ids */
  insert(collection: string, documents: Record<string, unknown>[]): Promise<string[]>;
  /** @returns the number of deleted documents */
  delete(collection: string, filter: Record<string, unknown>): Promise<number>;
  update(collection: string, change: MongoChange): Promise<void>;
}

export interface MongoQuery {
  filter: Record<string, unknown>;
  limit?: number;
  skip?: number;
  sort?: Record<string, unknown>;
  projection?: Record<string, unknown>;
}

export interface MongoChange {
  filter: Record<string, unknown>;
  /** The new fields, or the whole document with `replaces`. */
  document: Record<string, unknown>;
  replaces: boolean;
  upsert: boolean;
}

export interface FileServerClient extends Client {
  list(path: string): Promise<ServerFile[]>;
  download(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Missing folders are created. */
  upload(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  createFolder(path: string): Promise<void>;
  deleteFile(path: string): Promise<void>;
  deleteFolder(path: string, recursive: boolean): Promise<void>;
}

export interface ServerFile {
  /** `-` a file, `d` a folder, `l` a link */
  type: string;
  name: string;
  size: number;
  /** ISO 8601 */
  modifyTime?: string;
  accessTime?: string;
  rights?: { user: string; group: string; other: string };
  owner?: string | number;
  group?: string | number;
}

export interface AmqpClient extends Client {
  assertQueue(queue: string, options: AmqpOptions): Promise<void>;
  assertExchange(exchange: string, type: string, options: AmqpOptions): Promise<void>;
  bindQueue(queue: string, exchange: string, routingKey: string): Promise<void>;
  /** Rejects when the queue or exchange does not exist. */
  checkQueue(queue: string): Promise<void>;
  checkExchange(exchange: string): Promise<void>;
  /** Resolves when the server has the message. @param exchange empty: `routingKey` is the name of a queue */
  publish(message: AmqpOutgoing): Promise<void>;
  /** @param parallel messages that are delivered before their receipt, 0: all */
  consume(
    queue: string,
    options: { parallel: number; acknowledgesAtOnce: boolean },
    onMessage: (message: AmqpMessage) => void,
  ): Promise<Subscription>;
}

export type AmqpOptions = Record<string, unknown>;

export interface AmqpOutgoing {
  exchange: string;
  routingKey: string;
  content: Uint8Array;
  headers: Record<string, unknown>;
}

export interface AmqpMessage {
  content: Uint8Array;
  fields: Record<string, unknown>;
  properties: Record<string, unknown>;
  /** Does nothing for a message that was acknowledged at once. */
  acknowledge(): void;
  /** The server delivers the message again. */
  reject(): void;
}

export interface MqttSettings extends ServerLogin {
  clientId?: string;
  clean?: boolean;
}

export interface MqttClient extends Client {
  publish(topic: string, message: string, options: { qos: 0 | 1 | 2; retain: boolean }): Promise<void>;
  /** @param topics with their quality of service */
  subscribe(
    topics: Record<string, 0 | 1 | 2>,
    onMessage: (topic: string, message: Uint8Array) => void,
  ): Promise<Subscription>;
}

export interface KafkaSettings {
  clientId: string;
  brokers: { host: string; port: number }[];
  user?: string;
  password?: string;
  mechanism?: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  tls?: TlsSettings;
}

export interface KafkaClient extends Client {
  /** @returns what the server reports of each partition */
  send(batch: KafkaBatch): Promise<Record<string, unknown>[]>;
  consume(
    options: { topic: string; groupId: string; fromBeginning: boolean },
    onMessage: (message: KafkaMessage) => Promise<void>,
  ): Promise<Subscription>;
}

export interface KafkaBatch {
  topic: string;
  messages: { key?: string; value: string; headers?: Record<string, string> }[];
  /** Whether all replicas confirm. */
  allReplicas: boolean;
  gzip: boolean;
  /** Milliseconds */
  timeout: number;
}

export interface KafkaMessage {
  topic: string;
  partition: number;
  key?: string;
  value: string;
  headers: Record<string, string>;
}

export interface SmtpSettings extends ServerLogin {
  /** The name with which the client greets the server. */
  hostName?: string;
}

export interface MailSender extends Client {
  /** @returns the report of the transfer: accepted and rejected addresses, the answer of the server, the id */
  send(mail: Mail): Promise<Record<string, unknown>>;
}

export interface Mail {
  from: string;
  to: string;
  cc?: string;
  bcc?: string;
  replyTo?: string;
  subject?: string;
  text?: string;
  html?: string;
  attachments: { filename: string; content: Uint8Array; contentType: string; cid: string }[];
}

export interface MailboxClient extends Client {
  /**
   * The mails that match, oldest first, after the given one.
   * @param search criteria of IMAP in n8n's notation: `["UNSEEN"]`, `[["FROM", "a@b.c"]]`
   */
  search(mailbox: string, search: unknown[], afterUid?: number): Promise<number[]>;
  /** The bytes of a mail. It counts as read only with `markSeen`. */
  fetch(uid: number): Promise<{ source: Uint8Array; flags: string[]; date?: string }>;
  markSeen(uids: number[]): Promise<void>;
  /** Resolves when the mailbox has changed or the time is over. */
  waitForChange(milliseconds: number): Promise<void>;
  /** Reads the bytes of a mail. */
  parse(source: Uint8Array): Promise<ParsedMail>;
}

export interface ParsedMail {
  /** By name in lower case; a repeated one is a list. */
  headers: Record<string, string | string[]>;
  text?: string;
  html?: string;
  subject?: string;
  from?: string;
  to?: string;
  cc?: string;
  date?: string;
  messageId?: string;
  attachments: { fileName: string; contentType: string; content: Uint8Array<ArrayBuffer> }[];
}
