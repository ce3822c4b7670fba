import type { ServerLogin } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import { textOf } from './with-client.ts';

/** The connection of a credential of the type `redis`. */
export function redisSettings(credential: JsonObject): ServerLogin {
  return {
    host: textOf(credential.host) || 'localhost',
    port: Number(credential.port) || 6379,
    user: textOf(credential.user),
    password: textOf(credential.password),
    database: textOf(credential.database) || '0',
    ...(credential.ssl === true && {
      tls: { acceptsAnyCertificate: credential.disableTlsVerification === true },
    }),
  };
}
