import type { ConnectionLimits, ServerLogin, SshKey } from '#core/host';
import { allowedAddress } from './reach.ts';

/** The login for a connection by SSH. @throws NodeError for an address that is not allowed */
export async function sshLogin(settings: ServerLogin & SshKey, limits: ConnectionLimits) {
  const { port, user, password, privateKey, passphrase } = settings;
  return {
    host: await allowedAddress(settings, limits),
    port,
    readyTimeout: limits.connectTimeout,
    ...(user !== undefined && { username: user }),
    ...(password && { password }),
    ...(privateKey && { privateKey }),
    ...(passphrase && { passphrase }),
  };
}
