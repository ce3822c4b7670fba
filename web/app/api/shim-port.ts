/** Where a server on this computer usually answers other programs. */
export const USUAL_PORT = 'localhost:11434';

/** Where the server that this page came from answers other programs; undefined where it is no shim, or has no such port. */
export async function shimPort(
  page: Pick<Location, 'hostname'> = location,
  ask: typeof fetch = fetch,
): Promise<string | undefined> {
  try {
    const response = await ask('/tabd/ports');
    if (!response.ok) return undefined;
    const port = ((await response.json()) as Record<string, unknown>)['local-models'];
    return typeof port === 'number' ? `${page.hostname}:${port}` : undefined;
  } catch {
    return undefined;
  }
}
