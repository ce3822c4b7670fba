import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { RecordsUnavailable } from '#core/host';
import { isConflict, isConnectionLost, recordsError } from './postgres-errors.ts';

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and other parameters of libpq. */
  url: string;
  /** Milliseconds during which work is repeated while the server is away. Default: 15,000. */
  retryFor?: number;
  /** The largest number of connections. Default: 10. */
  connections?: number;
}

/** Milliseconds between two attempts, which grow from the first to the last. */
const FIRST_PAUSE = 50;
const LAST_PAUSE = 2000;
/** Milliseconds that a connection and a query may take. */
const CONNECT_TIMEOUT = 5000;
const QUERY_TIMEOUT = 60_000;

/** A pool of connections to one database. Work is repeated after the server was away. */
export class PostgresConnection {
  /** The server and database for people, without user and password. */
  readonly place: string;
  readonly #pool: pg.Pool;
  readonly #retryFor: number;
  readonly #closing = new AbortController();

  /** @throws RecordsUnavailable for a URL that cannot be read */
  constructor({ url, retryFor = 15_000, connections = 10 }: ConnectionOptions) {
    this.place = placeOf(url);
    this.#retryFor = retryFor;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      query_timeout: QUERY_TIMEOUT,
      application_name: 'tabd',
    });
    // An idle connection that breaks is replaced at its next use.
    this.#pool.on('error', () => {});
  }

  /** Rows of one statement. */
  async query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    return this.#repeat(async () => (await this.#pool.query<T>(sql, values)).rows);
  }

  /**
   * Runs `work` in a transaction. It may run several times, so each run must lead to the same result: after a lost
   * connection nobody knows whether the server has committed.
   */
  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#repeat(async () => {
      const client = await this.#pool.connect();
      // Without a listener, a connection that breaks between two statements would end the process.
      const ignore = () => {};
      client.on('error', ignore);
      let broken: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        if (isConnectionLost(error)) broken = error as Error;
        else
          await client.query('ROLLBACK').catch((cause: Error) => {
            broken = cause;
          });
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(broken);
      }
    });
  }

  /** Ends all connections. Running work may finish; a repetition is refused. */
  async close(): Promise<void> {
    this.#closing.abort(new RecordsUnavailable(`the connection to ${this.place} is closed`));
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #repeat<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#closing;
    const deadline = performance.now() + this.#retryFor;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LAST_PAUSE)) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        const mayRepeat = isConnectionLost(error) || isConflict(error);
        if (!mayRepeat || performance.now() + pause > deadline) throw recordsError(error, this.place);
        await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }
}

/**
 * The server and database of an address for people, without user and password.
 * @throws RecordsUnavailable for an address that cannot be read
 */
export function placeOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new RecordsUnavailable(
      'the address of the database must look like postgres://user:password@host:5432/name',
    );
  }
  return `${parsed.host || 'on this computer'}${parsed.pathname}`;
}
