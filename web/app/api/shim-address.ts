import { DEFAULT_PORTS } from '#core/http';
import { findComputerOrigins } from '../servers/computer-origins.ts';

/** The default host and port of a server on this computer. */
export const DEFAULT_ADDRESS = `localhost:${DEFAULT_PORTS['local-models']}`;

/** Host and port of the Ollama API of the server of this page. Undefined when it has none. */
export async function shimAddress(
  page: Pick<Location, 'hostname' | 'protocol'> = location,
  ask: typeof fetch = fetch,
): Promise<string | undefined> {
  const origin = (await findComputerOrigins(page, ask))?.['local-models'];
  return origin && new URL(origin).host;
}
