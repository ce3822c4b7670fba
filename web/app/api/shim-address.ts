import { DEFAULT_PORTS } from '#core/http';
import { findComputerOrigins } from '../servers/computer-origins.ts';

/** Where a server on this computer usually answers other programs. */
export const DEFAULT_ADDRESS = `localhost:${DEFAULT_PORTS['local-models']}`;

/** Where the server that this page came from answers other programs; undefined where it is no shim, or has no such port. */
export async function shimAddress(
  page: Pick<Location, 'hostname' | 'protocol'> = location,
  ask: typeof fetch = fetch,
): Promise<string | undefined> {
  const origin = (await findComputerOrigins(page, ask))?.['local-models'];
  return origin && new URL(origin).host;
}
