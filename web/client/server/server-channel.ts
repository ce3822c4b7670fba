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

const BROADCAST_TIMEOUT = 2000;

/** The ways from this page to a server worker. */
export interface ServerRoutes {
  scope: string;
  /** The server worker of this page, while it leads. */
  ownServer(): OwnedServer | undefined;
  /** The active service worker, which hands ports on to other tabs. */
  serviceWorker(): ServiceWorker | undefined;
}

/** A port to the server worker, or undefined when it cannot be handed over. */
export function openPort(
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

/** Frames to the server worker: over a port, or, where none can be handed over, over a BroadcastChannel. */
export async function openChannel(
  ways: ServerRoutes,
  server: ServerIdentity,
  held: string[],
): Promise<FrameChannel | undefined> {
  const port = openPort(ways, server, held, 'frames');
  return port ? portChannel(port as never) : openBroadcastChannel(ways.scope, server);
}

async function openBroadcastChannel(
  scope: string,
  { epoch }: ServerIdentity,
): Promise<FrameChannel | undefined> {
  const name = `${coordinationChannel(scope)}:${crypto.randomUUID()}`;
  const near = new BroadcastChannel(name);
  const calls = new BroadcastChannel(coordinationChannel(scope));
  const met = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), BROADCAST_TIMEOUT);
    calls.addEventListener('message', ({ data }: MessageEvent<CoordinationMessage>) => {
      if (data.call !== 'met' || data.channel !== name) return;
      clearTimeout(timer);
      resolve(true);
    });
    calls.postMessage({ call: 'meet', epoch, channel: name } satisfies CoordinationMessage);
  });
  calls.close();
  if (met) return portChannel(near as never, { transfers: false });
  near.close();
  return undefined;
}
