import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster, Log, WatchedCollection } from '#core/host';
import type { PostgresRecords } from '../storage/postgres/postgres-records.ts';
import { CHANGES_CHANNEL, type ChangeMessage } from '../storage/postgres/write-queue.ts';

/** Milliseconds between two attempts to connect. */
const RECONNECT_PAUSE = 500;

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
 * The agreements of a cluster, by advisory locks of PostgreSQL. They belong to one connection of this process, so they end
 * with the process. The same connection receives the changes of other processes. It must be a direct one, or pass through
 * a pooler in session mode.
 */
export class PostgresCluster implements Cluster {
  readonly process: string;
  readonly #listeners = new Map<string, ChangeListener[]>();
  /** The locks to hold: those of the process, of leaders and of claims. */
  readonly #locks = new Set<string>();
  readonly #missingSince = new Map<string, number>();
  readonly #closing = new AbortController();
  #records: PostgresRecords | undefined;
  #client: pg.Client | undefined;
  #connecting: Promise<pg.Client> | undefined;

  private constructor(private readonly options: PostgresClusterOptions) {
    this.process = options.process;
    this.#locks.add(`process ${options.process}`);
  }

  /** Connects, and holds the lock that shows that this process runs. */
  static async open(options: PostgresClusterOptions): Promise<PostgresCluster> {
    const cluster = new PostgresCluster(options);
    await cluster.#connected();
    return cluster;
  }

  /** The records from which numbers come. Must be called before the core uses this object. */
  use(records: PostgresRecords): void {
    this.#records = records;
  }

  async isRunning(process: string): Promise<boolean> {
    if (await this.#isLocked(`process ${process}`)) {
      this.#missingSince.delete(process);
      return true;
    }
    const now = performance.now();
    const since = this.#missingSince.get(process) ?? now;
    this.#missingSince.set(process, since);
    return now - since < this.options.grace;
  }

  nextNumber(sequence: string, lowest: number): Promise<number> {
    return this.#records!.nextNumber(sequence, lowest);
  }

  async claim(right: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#locks.has(right) || !(await this.#tryLock(right))) return undefined;
    return async () => {
      this.#locks.delete(right);
      // A lost connection has released it already.
      await this.#client?.query('SELECT pg_advisory_unlock($1, $2)', this.#keys(right)).catch(() => {});
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
    await this.#connecting?.catch(() => {});
    await this.#client?.end().catch(() => {});
  }

  async #tryLock(right: string): Promise<boolean> {
    const isGot = await this.#lockBy(await this.#connected(), right);
    if (isGot) this.#locks.add(right);
    return isGot;
  }

  async #lockBy(client: pg.Client, right: string): Promise<boolean> {
    const { rows } = await client.query<{ got: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS got',
      this.#keys(right),
    );
    return rows[0]?.got === true;
  }

  async #isLocked(right: string): Promise<boolean> {
    const [classId, objectId] = this.#keys(right);
    const { rows } = await (await this.#connected()).query(
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
