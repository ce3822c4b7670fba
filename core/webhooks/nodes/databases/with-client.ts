/** Connections of nodes. */
import type { ClientKind, ClientKinds } from '#core/host';
import type { NodeContext } from '../../node-api/node-context.ts';

/** Works with a connection, and closes it. */
export async function withClient<K extends ClientKind, T>(
  context: Pick<NodeContext, 'connect'>,
  kind: K,
  settings: ClientKinds[K]['settings'],
  work: (client: ClientKinds[K]['client']) => Promise<T>,
): Promise<T> {
  const client = await context.connect(kind, settings);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** A field of a credential as text. */
export function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value.trim()
    : value === undefined || value === null
      ? ''
      : String(value);
}
