import { portChannel } from '#core/frames';
import { type Attach, BUILD, clientOf, findServer, Link, type PortKind, type ServerName } from '#relay';

declare const self: ServiceWorkerGlobalScope;

const scope = new URL(self.registration.scope).pathname;

/** Ports reach a server worker only by way of its page. */
async function post(server: ServerName, held: string[], port: MessagePort, kind: PortKind): Promise<boolean> {
  const id = clientOf(scope, server.page, held);
  const page = id === undefined ? undefined : await self.clients.get(id);
  page?.postMessage({ tabd: 'attach', page: server.page, kind } satisfies Attach, [port]);
  return page !== undefined;
}

/** Lives as long as this run of the service worker; a next run finds the server anew. */
export const link = new Link(scope, `sw ${BUILD}`, async (server, held) => {
  const { port1, port2 } = new MessageChannel();
  return (await post(server, held, port2, 'frames')) ? portChannel(port1 as never) : undefined;
});

/** Passes a page's port on to the newest server; closes it when there is none. */
export async function handOver(port: MessagePort, kind: PortKind): Promise<void> {
  const found = await findServer(scope, performance.now() + 1000);
  if (!found || !(await post(found.server, found.held, port, kind))) port.close();
}
