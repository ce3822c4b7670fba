/** Connects nodes to servers that do not speak HTTP, by the rules of requests. */
import { errorMessage } from '#core/base';
import {
  type ClientKind,
  type ClientKinds,
  type Clients,
  ClientUnavailable,
  ConnectionNotAllowed,
} from '#core/host';
import { NodeError } from '../node-api/node-error.ts';
import { addressNotAllowed } from './guarded-network.ts';

/** Bytes that one connection may receive, and the largest file of a file server. */
const MAX_BYTES = 256 * 2 ** 20;
/** Milliseconds */
const CONNECT_TIMEOUT = 15_000;

interface Outside {
  /** Undefined: this platform has none. */
  clients: Clients | undefined;
  allows(address: string, port: number): boolean;
  signal: AbortSignal;
}

/**
 * @throws NodeError for a server that cannot be reached; the error of the server if it refuses the login
 */
export async function connectClient<K extends ClientKind>(
  { clients, allows, signal }: Outside,
  kind: K,
  settings: ClientKinds[K]['settings'],
): Promise<ClientKinds[K]['client']> {
  if (!clients) throw new NodeError(noClients('This node'));
  try {
    const limits = { allows, signal, maxBytes: MAX_BYTES, connectTimeout: CONNECT_TIMEOUT };
    return await clients.connect(kind, settings, limits);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ConnectionNotAllowed) throw addressNotAllowed(error.address);
    if (error instanceof ClientUnavailable) throw new NodeError(error.message, { cause: error });
    throw new NodeError(connectionMessage(error), { cause: error });
  }
}

/** Why a node cannot run in a tab. */
export function noClients(label: string): string {
  return `${label} needs a connection that browsers do not make: run the workflow on the ports of the tabd shim`;
}

/** Node reports several failed addresses as one error without a message. */
function connectionMessage(error: unknown): string {
  const { code } = error as { code?: string };
  return errorMessage(error) || code || 'The connection failed';
}
