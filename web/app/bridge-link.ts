import type { Tabd } from '#web/client';

/**
 * The token of the link that `tabd serve --via-tab` prints. Undefined when the page was opened without one.
 * The token is valid for one connection, so it is removed from the address.
 */
export function takeBridgeToken(): string | undefined {
  const token = /^#\/bridge\?token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Lets this browser answer the ports. Returns false without a token. */
export async function connectByLink(tabd: Pick<Tabd, 'bridge'>, token: string | undefined): Promise<boolean> {
  if (!token) return false;
  await tabd.bridge(token);
  return true;
}
