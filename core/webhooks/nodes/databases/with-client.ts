/** Connections of nodes. */
import type { ClientKind, ClientKinds, Subscription } from '#core/host';
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

/** Connects and subscribes. The connection is closed when the server refuses the subscription, and lives on otherwise. */
export async function withSubscription<K extends ClientKind>(
  context: Pick<NodeContext, 'connect'>,
  kind: K,
  settings: ClientKinds[K]['settings'],
  subscribe: (client: ClientKinds[K]['client']) => Promise<Subscription>,
): Promise<Subscription> {
  const client = await context.connect(kind, settings);
  try {
    return await subscribe(client);
  } catch (error) {
    await client.close();
    throw error;
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
