/** Postgres with the extension pgvector, compiled to WebAssembly: Debian 12 has no package of pgvector. */
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

export interface PgVectorServer {
  /** The connection of the user `postgres`. */
  login: { host: string; port: number; user: string; database: string };
  /** Runs statements, and returns the rows of the last one. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Takes several connections, whose statements run one after the other. */
export async function startPgVector(): Promise<PgVectorServer> {
  const db = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 10 });
  await server.start();
  const [host, port] = server.getServerConn().split(':') as [string, string];
  return {
    login: { host, port: Number(port), user: 'postgres', database: 'postgres' },
    query: async (sql) => (await db.exec(sql)).at(-1)!.rows as Record<string, unknown>[],
    async stop() {
      await server.stop();
      await db.close();
    },
  };
}
