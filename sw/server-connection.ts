import { portChannel } from '#core/frames';
import {
  type AttachMessage,
  BUILD,
  clientIdOf,
  findNewestServer,
  type PortKind,
  ServerConnection,
  type ServerIdentity,
} from '#relay';

declare const self: ServiceWorkerGlobalScope;

const scope = new URL(self.registration.scope).pathname;

/** Posts a port to the page that owns a server worker: the worker has no other way to receive it. Returns whether the page exists. */
async function postToPage(
  server: ServerIdentity,
  held: string[],
  port: MessagePort,
  kind: PortKind,
): Promise<boolean> {
  const id = clientIdOf(scope, server.page, held);
  const page = id === undefined ? undefined : await self.clients.get(id);
  page?.postMessage({ tabd: 'attach', page: server.page, kind } satisfies AttachMessage, [port]);
  return page !== undefined;
}

/** The service worker's connection to the newest server. It is lost when the browser stops the service worker. */
export const connection = new ServerConnection(scope, `sw ${BUILD}`, async (server, held) => {
  const { port1, port2 } = new MessageChannel();
  return (await postToPage(server, held, port2, 'frames')) ? portChannel(port1 as never) : undefined;
});

/** Passes a page's port to the newest server. Closes the port when there is no server. */
export async function attachToServer(port: MessagePort, kind: PortKind): Promise<void> {
  const found = await findNewestServer(scope, performance.now() + 1000);
  if (!found || !(await postToPage(found.server, found.held, port, kind))) port.close();
}
