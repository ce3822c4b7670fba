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

/** Ports reach a server worker only by way of its page. */
async function post(
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

/** Lives as long as this run of the service worker; a next run finds the server anew. */
export const link = new ServerConnection(scope, `sw ${BUILD}`, async (server, held) => {
  const { port1, port2 } = new MessageChannel();
  return (await post(server, held, port2, 'frames')) ? portChannel(port1 as never) : undefined;
});

/** Passes a page's port on to the newest server; closes it when there is none. */
export async function handOver(port: MessagePort, kind: PortKind): Promise<void> {
  const found = await findNewestServer(scope, performance.now() + 1000);
  if (!found || !(await post(found.server, found.held, port, kind))) port.close();
}
