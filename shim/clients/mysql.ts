import type { ConnectionOptions } from 'mysql2/promise';
import type { ConnectionLimits, SqlClient, SqlResult, SqlSettings } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { allowedAddress, limitedSocket, tlsOptions } from './reach.ts';

export async function connectMysql(settings: SqlSettings, limits: ConnectionLimits): Promise<SqlClient> {
  const mysql = await loadPackage('mysql2', () => import('mysql2/promise'));
  const { host, port, tls, numbers = {} } = settings;
  const address = await allowedAddress(settings, limits);
  const socket = limitedSocket(limits);
  const config: ConnectionOptions = {
    host: address,
    port,
    user: settings.user,
    password: settings.password,
    database: settings.database,
    multipleStatements: true,
    supportBigNumbers: true,
    bigNumberStrings: numbers.large === false,
    decimalNumbers: numbers.decimal === true,
    // A server must not ask for files of this computer.
    flags: ['-LOCAL_FILES'],
    ...(tls && { ssl: tlsOptions(host, tls) as ConnectionOptions['ssl'] }),
    stream: () => socket.connect(port, address),
  };
  const client = await withinConnectTime(limits, mysql.createConnection(config), () => socket.destroy());
  client.on('error', () => {});
  const connection = new Connection(limits.signal, (isAborted) =>
    isAborted ? client.destroy() : client.end(),
  );
  return {
    close: () => connection.close(),
    query: (text, values) =>
      connection.run(async () => {
        const [answer, fields] = await client.query(text, values);
        // Several statements have a list of answers, and a list of fields for each.
        const isList =
          Array.isArray(fields) && fields.some((entry) => entry === undefined || Array.isArray(entry));
        return (isList ? (answer as unknown[]) : [answer]).map(sqlResult);
      }),
  };
}

function sqlResult(answer: unknown): SqlResult {
  const json = JSON.parse(JSON.stringify(answer)) as Record<string, unknown> | Record<string, unknown>[];
  return Array.isArray(json) ? { rows: json } : { report: json };
}
