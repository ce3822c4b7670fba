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

/** The addresses that a connection may reach, its limits of bytes and time, and its signal. */
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

/** The kinds of servers that have a client. */
export type ClientKind = keyof ClientKinds;

/** The settings and the client of each kind of server. */
export interface ClientKinds {
  postgres: { settings: SqlSettings; client: SqlClient };
  mysql: { settings: SqlSettings; client: SqlClient };
  redis: { settings: ServerLogin; client: RedisClient };
  mongodb: { settings: { url: string; database: string; tls?: TlsSettings }; client: MongoClient };
  ftp: { settings: ServerLogin; client: FileServerClient };
  sftp: { settings: ServerLogin & SshKey; client: FileServerClient };
  ssh: { settings: ServerLogin & SshKey; client: SshClient };
  amqp: { settings: ServerLogin; client: AmqpClient };
  mqtt: { settings: MqttSettings; client: MqttClient };
  kafka: { settings: KafkaSettings; client: KafkaClient };
  smtp: { settings: SmtpSettings; client: MailSender };
  imap: { settings: ServerLogin; client: MailboxClient };
}

/** The address of a server, and the login. */
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

/** How a connection is encrypted, and whom it trusts. */
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

/** A private key for the login by SSH, as PEM. */
export interface SshKey {
  privateKey?: string;
  passphrase?: string;
}

/** A connection to a server. */
export interface Client {
  /** Rejects never. Pending work fails. */
  close(): Promise<void>;
}

/** A connection that receives messages until it ends. */
export interface Subscription extends Client {
  /** Resolves when the connection has ended, here or there. */
  readonly ended: Promise<void>;
}

/** The address of a database, and how numbers are read. */
export interface SqlSettings extends ServerLogin {
  /**
   * Integers of 64 bits and decimals as numbers, which may lose digits, or as texts. By default they are texts in
   * Postgres; MySQL has numbers for integers without a loss.
   */
  numbers?: { large?: boolean; decimal?: boolean };
}

/** A client of a SQL database. */
export interface SqlClient extends Client {
  /** One result for each statement. Without values the text may contain several. */
  query(text: string, values?: unknown[]): Promise<SqlResult[]>;
}

/** The result of one statement. */
export interface SqlResult {
  /** JSON values: dates are texts in ISO 8601. Undefined: the statement returns no rows. */
  rows?: Record<string, unknown>[];
  /** The server's report of a statement without rows. */
  report?: Record<string, unknown>;
}

/** A client of Redis. */
export interface RedisClient extends Client {
  /** Replies of RESP2: texts, numbers, null and lists of them. */
  send(command: string[]): Promise<RedisReply>;
  /** The connection then takes no other command. */
  subscribe(patterns: string[], onMessage: (message: string, channel: string) => void): Promise<Subscription>;
}

/** A reply of RESP2. */
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

/** A query of a collection, in the language of MongoDB. */
export interface MongoQuery {
  filter: Record<string, unknown>;
  limit?: number;
  skip?: number;
  sort?: Record<string, unknown>;
  projection?: Record<string, unknown>;
}

/** A change of the first document that a filter finds. */
export interface MongoChange {
  filter: Record<string, unknown>;
  /** The new fields, or the whole document with `replaces`. */
  document: Record<string, unknown>;
  replaces: boolean;
  upsert: boolean;
}

/** A client of FTP or SFTP. Paths are those of the server. */
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

/** Commands on another computer. */
export interface SshClient extends Client {
  /**
   * Runs a command of the shell there.
   * @throws Error for more output than the limit
   */
  run(command: string): Promise<SshOutput>;
}

/** Output and end of a command on another computer. */
export interface SshOutput {
  /** Null: a signal ended the command. */
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** An entry of a folder on a file server. */
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

/** A client of RabbitMQ and other servers of AMQP 0-9-1. */
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

/** Options of a queue or an exchange, by the names of AMQP. */
export type AmqpOptions = Record<string, unknown>;

/** A message to an exchange or a queue. */
export interface AmqpOutgoing {
  exchange: string;
  routingKey: string;
  content: Uint8Array;
  headers: Record<string, unknown>;
}

/** A message that a queue delivers. */
export interface AmqpMessage {
  content: Uint8Array;
  fields: Record<string, unknown>;
  properties: Record<string, unknown>;
  /** Does nothing for a message that was acknowledged at once. */
  acknowledge(): void;
  /** The server delivers the message again. */
  reject(): void;
  /** The server does not deliver the message again: it gives it to the dead letter exchange of the queue, or deletes it. */
  discard(): void;
}

/** The login at a broker of MQTT, and its session. */
export interface MqttSettings extends ServerLogin {
  clientId?: string;
  clean?: boolean;
}

/** A client of MQTT. */
export interface MqttClient extends Client {
  publish(topic: string, message: string, options: { qos: 0 | 1 | 2; retain: boolean }): Promise<void>;
  /** @param topics with their quality of service */
  subscribe(
    topics: Record<string, 0 | 1 | 2>,
    onMessage: (topic: string, message: Uint8Array) => void,
  ): Promise<Subscription>;
}

/** The brokers of a Kafka cluster, and the login. */
export interface KafkaSettings {
  clientId: string;
  brokers: { host: string; port: number }[];
  user?: string;
  password?: string;
  mechanism?: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  tls?: TlsSettings;
}

/** A client of Kafka. */
export interface KafkaClient extends Client {
  /** @returns what the server reports of each partition */
  send(batch: KafkaBatch): Promise<Record<string, unknown>[]>;
  consume(
    options: { topic: string; groupId: string; fromBeginning: boolean },
    onMessage: (message: KafkaMessage) => Promise<void>,
  ): Promise<Subscription>;
}

/** Messages to one topic. */
export interface KafkaBatch {
  topic: string;
  messages: { key?: string; value: string; headers?: Record<string, string> }[];
  /** Whether all replicas confirm. */
  allReplicas: boolean;
  gzip: boolean;
  /** Milliseconds */
  timeout: number;
}

/** A message of a topic. */
export interface KafkaMessage {
  topic: string;
  partition: number;
  key?: string;
  value: string;
  headers: Record<string, string>;
}

/** The address of a mail server, and the login. */
export interface SmtpSettings extends ServerLogin {
  /** The name with which the client greets the server. */
  hostName?: string;
}

/** A client of SMTP. */
export interface MailSender extends Client {
  /** @returns the report of the transfer: accepted and rejected addresses, the answer of the server, the id */
  send(mail: Mail): Promise<Record<string, unknown>>;
}

/** A mail to send. Addresses are lists in the form of RFC 5322. */
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

/** A client of IMAP. */
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

/** The parts of a received mail. */
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
