import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Mutex } from '#core/base';
import type { Cluster, Log, WatchedCollection } from '#core/host';
import { placeOf } from '../storage/postgres/postgres-connection.ts';
import { recordsError } from '../storage/postgres/postgres-errors.ts';
import type { PostgresRecords } from '../storage/postgres/postgres-records.ts';
import { CHANGES_CHANNEL, type ChangeMessage } from '../storage/postgres/write-queue.ts';
import { MissingProcesses } from './missing-processes.ts';

/** Milliseconds between two attempts to connect. */
const RECONNECT_PAUSE = 500;
/**
 * Milliseconds after a restart of the server, or a lost connection, in which rights are not given to others: their holders
 * connect again.
 */
const RETURN_TIME = 2000;

type ChangeListener = (key: string | undefined) => void;

export interface PostgresClusterOptions {
  url: string;
  namespace: string;
  process: string;
  log: Log;
  /** Milliseconds for which a process must have been away before it counts as ended: it may be connecting again. */
  grace: number;
}

/**
 * The agreements of a cluster that must survive Redis, by advisory locks of PostgreSQL. They belong to one connection of this process, so they end
 * with the process. The same connection receives the changes of other processes. It must be a direct one, or pass through
 * a pooler in session mode.
 */
export class PostgresCluster
  implements Pick<Cluster, 'process' | 'isRunning' | 'nextNumber' | 'claim' | 'onChange'>
{
  readonly process: string;
  readonly #listeners = new Map<string, ChangeListener[]>();
  /** The locks to hold: those of the process, of leaders and of claims. */
  readonly #locks = new Set<string>();
  /** Rights that this process is asking for: PostgreSQL would give a lock to one session twice. */
  readonly #asking = new Set<string>();
  /** One statement at a time. */
  readonly #statements = new Mutex();
  readonly #missing = new MissingProcesses((process) => this.#isLocked(`process ${process}`));
  readonly #closing = new AbortController();
  #records: PostgresRecords | undefined;
  #client: pg.Client | undefined;
  /** When former holders of rights have had time to connect: milliseconds of a monotonic clock. */
  #claimsFrom = 0;
  #wasLost = false;
  #connecting: Promise<pg.Client> | undefined;

  private constructor(private readonly options: PostgresClusterOptions) {
    this.process = options.process;
    this.#locks.add(`process ${options.process}`);
  }

  /**
   * Connects, and holds the lock that shows that this process runs.
   * @throws RecordsUnavailable if the database does not answer, or refuses
   */
  static async open(options: PostgresClusterOptions): Promise<PostgresCluster> {
    const place = placeOf(options.url);
    const cluster = new PostgresCluster(options);
    try {
      await cluster.#connected();
    } catch (error) {
      throw recordsError(error, place);
    }
    return cluster;
  }

  /** The records from which numbers come. Must be called before the core uses this object. */
  use(records: PostgresRecords): void {
    this.#records = records;
  }

  async isRunning(process: string): Promise<boolean> {
    const away = await this.#missing.awayFor(process);
    return away === undefined || away < this.options.grace;
  }

  nextNumber(sequence: string, lowest: number): Promise<number> {
    return this.#records!.nextNumber(sequence, lowest);
  }

  async claim(right: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#locks.has(right) || this.#asking.has(right)) return undefined;
    this.#asking.add(right);
    try {
      if (!(await this.#lockBy(await this.#connectedForClaims(), right))) return undefined;
      this.#locks.add(right);
    } finally {
      this.#asking.delete(right);
    }
    return async () => {
      this.#locks.delete(right);
      const client = this.#client;
      // A lost connection has released it already.
      if (client)
        await this.#query(client, 'SELECT pg_advisory_unlock($1, $2)', this.#keys(right)).catch(() => {});
    };
  }

  onChange(collection: WatchedCollection, listener: ChangeListener): void {
    this.#listeners.set(collection, [...(this.#listeners.get(collection) ?? []), listener]);
  }

  /** Whether this process holds a right that it has claimed: a lost connection may have given it to another one. */
  holds(right: string): boolean {
    return this.#locks.has(right);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#missing.clear();
    await this.#connecting?.catch(() => {});
    await this.#client?.end().catch(() => {});
  }

  #query<T extends pg.QueryResultRow>(
    client: pg.Client,
    sql: string,
    values: unknown[],
  ): Promise<pg.QueryResult<T>> {
    return this.#statements.run(() => client.query<T>(sql, values));
  }

  async #lockBy(client: pg.Client, right: string): Promise<boolean> {
    const { rows } = await this.#query<{ got: boolean }>(
      client,
      'SELECT pg_try_advisory_lock($1, $2) AS got',
      this.#keys(right),
    );
    return rows[0]?.got === true;
  }

  async #isLocked(right: string): Promise<boolean> {
    const [classId, objectId] = this.#keys(right);
    const { rows } = await this.#query(
      await this.#connected(),
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = $1::bigint::oid
         AND objid = $2::bigint::oid AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [classId! >>> 0, objectId! >>> 0],
    );
    return rows.length > 0;
  }

  /** The two numbers of an advisory lock. */
  #keys(right: string): [number, number] {
    const digest = createHash('sha256').update(`tabd ${this.options.namespace} ${right}`).digest();
    return [digest.readInt32BE(0), digest.readInt32BE(4)];
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** The connection, once the former holders of all rights have had time to get them back. */
  async #connectedForClaims(): Promise<pg.Client> {
    for (;;) {
      const client = await this.#connected();
      const rest = this.#claimsFrom - performance.now();
      if (rest <= 0) return client;
      await sleep(rest, undefined, { signal: this.#closing.signal });
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.options.url,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
      application_name: `tabd ${this.process}`,
    });
    client.on('error', () => {});
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    await client.connect();
    try {
      // The server notices within half a minute that this computer is gone.
      await client.query(
        'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3',
      );
      await client.query(`LISTEN "${CHANGES_CHANNEL}"`);
      const { rows } = await client.query<{ age: number }>(
        'SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float AS age',
      );
      const passed = this.#wasLost ? 0 : 1000 * rows[0]!.age;
      this.#claimsFrom = performance.now() + RETURN_TIME - passed;
      for (const right of this.#locks) {
        if (!(await this.#lockBy(client, right))) this.#locks.delete(right);
      }
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    client.on('end', () => this.#lost(client));
    this.#client = client;
    return client;
  }

  /** Connects again at once: until then, this process looks like one that has ended. */
  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#wasLost = true;
    this.#missing.clear();
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#connected();
        // Changes of the meantime are unknown.
        for (const listeners of this.#listeners.values())
          for (const listener of listeners) listener(undefined);
        return;
      } catch (error) {
        this.options.log.warn('the connection of this process to the database is lost', {
          error: String(error),
        });
        await sleep(RECONNECT_PAUSE, undefined, { signal }).catch(() => {});
      }
    }
  }

  #receive(payload: string): void {
    const message = JSON.parse(payload) as ChangeMessage;
    if (message.namespace !== this.options.namespace || message.process === this.process) return;
    for (const listener of this.#listeners.get(message.collection) ?? []) listener(message.key);
  }
}
