/** A server with the real registry and storage in memory, for tests of the routes that manage models. */
import { createHash } from 'node:crypto';
import { createCore } from '#core/server/create-core.ts';
import { createTestHost } from '../host/test-host.ts';
import { CALL } from './fake-server.ts';

/** The digest of a blob, as Ollama's API writes it. */
export const sha256Digest = (bytes: Uint8Array | string) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Starts a server whose storage has the blobs `bytes`. `send` sends a JSON body, or bytes as they are. */
export async function startModelServer(...bytes: Uint8Array[]) {
  const host = createTestHost({ clock: 'real' });
  const { server } = createCore(host);
  for (const blob of bytes) await host.blobs.put(blob);
  const send = async (method: string, path: string, body?: unknown, init: RequestInit = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1:11434${path}`, {
        method,
        ...(body !== undefined && {
          body: body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
        }),
        ...init,
      }),
      CALL,
    );
  return { host, send };
}
export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;
