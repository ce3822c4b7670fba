import type { Client, ClientConfig, CustomTypesConfig, QueryResult } from 'pg';
import type { ConnectionLimits, SqlClient, SqlResult, SqlSettings } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { allowedAddress, limitedSocket, tlsOptions } from './reach.ts';

/** The types int8 and numeric, by their numbers in `pg_type`. */
const LARGE_INTEGER = 20;
const DECIMAL = 1700;

export async function connectPostgres(settings: SqlSettings, limits: ConnectionLimits): Promise<SqlClient> {
  const { default: pg } = await loadPackage('pg', () => import('pg'));
  const { host, port, tls, numbers = {} } = settings;
  const address = await allowedAddress(settings, limits);
  const types: CustomTypesConfig = {
    getTypeParser: ((id: number, format?: 'text') =>
      (numbers.large && id === LARGE_INTEGER) || (numbers.decimal && id === DECIMAL)
        ? Number
        : pg.types.getTypeParser(id, format)) as CustomTypesConfig['getTypeParser'],
  };
  let config: ClientConfig = {
    host: address,
    port,
    user: settings.user,
    password: settings.password,
    database: settings.database,
    types,
    stream: () => limitedSocket(limits),
  };
  const open = async (encrypted: boolean) => {
    config = { ...config, ssl: encrypted && tls ? tlsOptions(host, tls) : false };
    const client = new pg.Client(config);
    // A lost connection also rejects the pending query.
    client.on('error', () => {});
    await withinConnectTime(limits, client.connect(), () => void client.end().catch(() => {}));
    return client;
  };
  const client = await open(tls !== undefined).catch((error: Error) => {
    if (!tls?.isOptional || !error.message.includes('does not support SSL')) throw error;
    return open(false);
  });
  const connection = new Connection(limits.signal, (isAborted) => {
    if (!isAborted) return client.end();
    void cancelQuery(() => new pg.Client({ ...config, stream: undefined }), client);
  });
  return {
    close: () => connection.close(),
    query: (text, values) =>
      connection.run(async () => {
        const answer: QueryResult | QueryResult[] = await client.query(text, values as unknown[]);
        return (Array.isArray(answer) ? answer : [answer]).map(sqlResult);
      }),
  };
}

/** A server notices the end of a connection only when it answers: the running query is cancelled by another connection. */
async function cancelQuery(create: () => Client, client: Client): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  const canceller = create();
  canceller.on('error', () => {});
  try {
    await canceller.connect();
    await canceller.query('SELECT pg_terminate_backend($1)', [processID]);
  } catch {
    // The server is gone, and the query with it.
  } finally {
    await canceller.end().catch(() => {});
    await client.end().catch(() => {});
  }
}

function sqlResult({ rows, fields, rowCount, command }: QueryResult): SqlResult {
  if (fields.length === 0) return { report: { command, rowCount } };
  return { rows: JSON.parse(JSON.stringify(rows)) as Record<string, unknown>[] };
}
