import type pg from 'pg';
import { WATCHED_COLLECTIONS } from '#core/host';
import type { PostgresConnection } from './postgres-connection.ts';
import { newerRecords, versionTable } from './postgres-schema.ts';
import { originalText, putParameters, putStatement, type Row, type TableSpec } from './postgres-tables.ts';

/** A put, or a deletion where `row` is missing. */
export interface StoredChange {
  spec: TableSpec;
  key: string;
  row?: Row;
}

interface PendingWrite {
  changes: StoredChange[];
  resolve(existed: boolean[]): void;
  reject(error: unknown): void;
}

/** The channel of LISTEN and NOTIFY. Its messages are `ChangeMessage` as JSON. */
export const CHANGES_CHANNEL = 'tabd changes';

/** A process has changed a record. */
export interface ChangeMessage {
  namespace: string;
  process: string;
  collection: string;
  key: string;
}

/** The most writes and characters of documents in one transaction. */
const MAX_WRITES = 500;
const MAX_CHARACTERS = 8 * 2 ** 20;

/**
 * Makes writes in their order. All writes that arrive during a transaction share the next one. Two processes may write the
 * same key at once: then the later commit counts.
 */
export class WriteQueue {
  #pending: PendingWrite[] = [];
  #running: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: PostgresConnection,
    private readonly namespace: string,
    private readonly version: number,
    /** Changes are announced to other processes under this name. Undefined: there are none. */
    private readonly process?: string,
  ) {}

  /**
   * Makes all changes or none of them.
   * @returns for each change, whether a deleted record existed. After a lost connection it may say false of a record that
   *   the repeated transaction had deleted.
   */
  write(changes: StoredChange[]): Promise<boolean[]> {
    const written = new Promise<boolean[]>((resolve, reject) => {
      this.#pending.push({ changes, resolve, reject });
      this.#running ??= this.#run();
    });
    this.#last = written.then(
      () => {},
      () => {},
    );
    return written;
  }

  /** Resolves when all writes so far have ended, with or without success. Readers then see them. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #run(): Promise<void> {
    // Writes of the same turn of the event loop arrive first.
    await Promise.resolve();
    while (this.#pending.length > 0) await this.#writeTogether(this.#take());
    this.#running = undefined;
  }

  #take(): PendingWrite[] {
    let characters = 0;
    const count = this.#pending.findIndex(({ changes }, at) => {
      characters += changes.reduce((sum, { row }) => sum + (row?.json.length ?? 0), 0);
      return at > 0 && (at >= MAX_WRITES || characters > MAX_CHARACTERS);
    });
    return this.#pending.splice(0, count < 0 ? this.#pending.length : count);
  }

  async #writeTogether(writes: PendingWrite[]): Promise<void> {
    try {
      const existed = await this.#transaction(writes.flatMap(({ changes }) => changes));
      for (const { changes, resolve } of writes) resolve(existed.splice(0, changes.length));
    } catch (error) {
      if (writes.length === 1) return writes[0]!.reject(error);
      // No write may fail because of another one.
      for (const write of writes) await this.#writeTogether([write]);
    }
  }

  /** The messages are sent by the commit. */
  async #announce(client: pg.PoolClient, changes: StoredChange[]): Promise<void> {
    const { namespace, process } = this;
    if (process === undefined) return;
    const messages = changes.filter(isWatched).map(({ spec, key }): string => {
      const message: ChangeMessage = {
        namespace,
        process,
        collection: spec.collection,
        key: originalText(key),
      };
      return JSON.stringify(message);
    });
    if (messages.length > 0)
      await client.query('SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message', [
        CHANGES_CHANNEL,
        messages,
      ]);
  }

  #transaction(changes: StoredChange[]): Promise<boolean[]> {
    return this.connection.transaction(async (client) => {
      const { rows } = await client.query<{ version: number }>(
        `SELECT version FROM ${versionTable(this.namespace)}`,
      );
      const found = rows[0]?.version ?? 0;
      if (found !== this.version) throw newerRecords(this.connection.place, found, this.version);
      const existed: boolean[] = [];
      for (const segment of segmentsOf(changes)) existed.push(...(await writeSegment(client, segment)));
      await this.#announce(client, changes);
      return existed;
    });
  }
}

const isWatched = ({ spec }: StoredChange): boolean =>
  (WATCHED_COLLECTIONS as readonly string[]).includes(spec.collection);

const identity = ({ spec, key }: StoredChange): string => `${spec.collection}/${key}`;

/** Splits changes so that every record occurs once in a part. */
function segmentsOf(changes: StoredChange[]): StoredChange[][] {
  const segments: StoredChange[][] = [];
  let seen = new Set<string>();
  for (const change of changes) {
    if (segments.length === 0 || seen.has(identity(change))) {
      segments.push([]);
      seen = new Set();
    }
    seen.add(identity(change));
    segments.at(-1)!.push(change);
  }
  return segments;
}

/** Writes table by table and key by key in a fixed order, so that two processes rarely block each other. */
async function writeSegment(client: pg.PoolClient, changes: StoredChange[]): Promise<boolean[]> {
  const specs = [...new Set(changes.map(({ spec }) => spec))].sort((a, b) => (a.table < b.table ? -1 : 1));
  const deleted = new Set<string>();
  for (const spec of specs) {
    const own = changes.filter((change) => change.spec === spec).sort((a, b) => (a.key < b.key ? -1 : 1));
    const rows = own.flatMap(({ row }) => row ?? []);
    const keys = own.flatMap(({ row, key }) => (row ? [] : [key]));
    if (rows.length > 0) await client.query(putStatement(spec), putParameters(rows, spec));
    if (keys.length === 0) continue;
    const result = await client.query<{ key: string }>(
      `DELETE FROM ${spec.table} WHERE key = ANY($1) RETURNING key`,
      [keys],
    );
    for (const { key } of result.rows) deleted.add(identity({ spec, key }));
  }
  return changes.map((change) => deleted.has(identity(change)));
}
