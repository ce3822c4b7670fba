import type { SqlSettings } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { textOf } from '../with-client.ts';

/** The connection of a credential of the type `postgres`. @throws NodeError for a tunnel, which is not there */
export function postgresSettings(credential: JsonObject, numbers: SqlSettings['numbers'] = {}): SqlSettings {
  if (credential.sshTunnel === true)
    throw new NodeError('Connections through an SSH tunnel are not possible here');
  const ssl = textOf(credential.ssl) || 'disable';
  const trustsAny = credential.allowUnauthorizedCerts === true;
  return {
    host: textOf(credential.host) || 'localhost',
    port: Number(credential.port) || 5432,
    user: textOf(credential.user),
    password: textOf(credential.password),
    database: textOf(credential.database),
    numbers,
    ...((ssl !== 'disable' || trustsAny) && {
      tls: { acceptsAnyCertificate: trustsAny, isOptional: ssl === 'allow' },
    }),
  };
}
