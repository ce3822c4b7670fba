import type { SqlSettings } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { textOf } from '../with-client.ts';

/** The connection of a credential of the type `mySql`. @throws NodeError for a tunnel, which is not there */
export function mysqlSettings(credential: JsonObject, numbers: SqlSettings['numbers']): SqlSettings {
  if (credential.sshTunnel === true)
    throw new NodeError('Connections through an SSH tunnel are not possible here');
  return {
    host: textOf(credential.host) || 'localhost',
    port: Number(credential.port) || 3306,
    user: textOf(credential.user),
    password: textOf(credential.password),
    database: textOf(credential.database),
    ...(numbers && { numbers }),
    ...(credential.ssl === true && {
      tls: {
        ca: textOf(credential.caCertificate),
        cert: textOf(credential.clientCertificate),
        key: textOf(credential.clientPrivateKey),
      },
    }),
  };
}
