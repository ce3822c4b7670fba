import { type FrameChannel, portChannel } from '#core/frames';
import {
  type CoordinationMessage,
  clientIdOf,
  coordinationChannel,
  type PortKind,
  type ServerIdentity,
  type ToServiceWorker,
} from '#relay';
import type { OwnedServer } from '../leadership/owned-server.ts';

/** Milliseconds until the server worker must accept a BroadcastChannel. */
const BROADCAST_TIMEOUT = 2000;

/** The routes from this page to a server worker. */
export interface ServerRoutes {
  scope: string;
  /** The server worker of this page, while it leads. */
  ownServer(): OwnedServer | undefined;
  /** The active service worker, which passes ports on to other tabs. */
  serviceWorker(): ServiceWorker | undefined;
}

/** Opens a port to a server worker. Undefined when there is no service worker that could pass it on. */
export function openServerPort(
  ways: ServerRoutes,
  server: ServerIdentity,
  held: string[],
  kind: PortKind,
): MessagePort | undefined {
  const { port1, port2 } = new MessageChannel();
  const own = ways.ownServer();
  if (own?.name.epoch === server.epoch) {
    own.attach(port2, kind);
    return port1;
  }
  const broker = ways.serviceWorker();
  if (!broker || clientIdOf(ways.scope, server.page, held) === undefined) return undefined;
  broker.postMessage({ tabd: 'attach', kind } satisfies ToServiceWorker, [port2]);
  return port1;
}

/** Opens a channel for frames: over a port if possible, else over a BroadcastChannel. */
export async function openChannel(
  ways: ServerRoutes,
  server: ServerIdentity,
  held: string[],
): Promise<FrameChannel | undefined> {
  const port = openServerPort(ways, server, held, 'frames');
  return port ? portChannel(port as never) : openBroadcastChannel(ways.scope, server);
}

async function openBroadcastChannel(
  scope: string,
  { epoch }: ServerIdentity,
): Promise<FrameChannel | undefined> {
  const name = `${coordinationChannel(scope)}:${crypto.randomUUID()}`;
  const channel = new BroadcastChannel(name);
  const calls = new BroadcastChannel(coordinationChannel(scope));
  const isAccepted = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), BROADCAST_TIMEOUT);
    calls.addEventListener('message', ({ data }: MessageEvent<CoordinationMessage>) => {
      if (data.call !== 'met' || data.channel !== name) return;
      clearTimeout(timer);
      resolve(true);
    });
    calls.postMessage({ call: 'meet', epoch, channel: name } satisfies CoordinationMessage);
  });
  calls.close();
  if (isAccepted) return portChannel(channel as never, { transfers: false });
  channel.close();
  return undefined;
}
