import { API_NAMES, type ApiName } from '#core/http';

/** Addresses of a computer's ports: `http://localhost:11434`. Those that are not open are missing. */
export type ApiOrigins = Partial<Record<ApiName, string>>;

/** Where the server that this page came from answers other programs; undefined where it is no tabd, or is not there. */
export async function findComputerOrigins(
  page: Pick<Location, 'hostname' | 'protocol'> = location,
  ask: typeof fetch = fetch,
): Promise<ApiOrigins | undefined> {
  try {
    const response = await ask('tabd/ports');
    if (!response.ok) return undefined;
    const ports = (await response.json()) as Record<string, unknown>;
    const open = API_NAMES.filter((api) => typeof ports[api] === 'number');
    if (open.length === 0) return undefined;
    return Object.fromEntries(open.map((api) => [api, `${page.protocol}//${page.hostname}:${ports[api]}`]));
  } catch {
    return undefined;
  }
}
