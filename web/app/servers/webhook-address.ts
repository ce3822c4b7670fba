import { type ApiOrigins, findComputerOrigins } from './computer-origins.ts';

/** Milliseconds. The server of this page answers at once, or is not the tabd command. */
const TIMEOUT = 600;

/**
 * Where other programs reach the webhooks: the port that the server of this page reports. The server in this tab shows
 * it in its addresses. Undefined where there is none: then the default port counts.
 */
export async function webhookAddress(
  find: () => Promise<ApiOrigins | undefined> = findComputerOrigins,
  timeout = TIMEOUT,
): Promise<string | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, timeout));
  return (await Promise.race([find(), late]))?.webhooks;
}
