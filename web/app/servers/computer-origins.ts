import { API_NAMES, type ApiName } from '#core/http';

/** The origins of a computer's open ports, such as `http://localhost:11434`. */
export type ApiOrigins = Partial<Record<ApiName, string>>;

/** The open ports of the server of this page. Undefined when it is not tabd, or does not answer. */
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
