import type { Tabd } from '#web/client';

/**
 * The token of the link that `tabd serve --via-tab` prints, if the page was opened by it. It is good for one
 * connection, so it does not stay in the address.
 */
export function takeBridgeToken(): string | undefined {
  const token = /^#\/bridge\?token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Has this browser answer the ports. True when the page was opened for that. */
export async function connectByLink(tabd: Pick<Tabd, 'bridge'>, token: string | undefined): Promise<boolean> {
  if (!token) return false;
  await tabd.bridge(token);
  return true;
}
