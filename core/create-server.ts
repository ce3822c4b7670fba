/** The core of tabd over a host: three APIs behind one `fetch`. */
import type { Host } from './host/host.ts';
import { composeServer } from './http/compose.ts';
import { ownerOf } from './http/paths.ts';
import { imageWorkflowsApi } from './image-workflows/api.ts';
import type { AnyNode } from './image-workflows/nodes/node-type.ts';
import { createRegistry } from './local-models/registry/registry.ts';
import type { ModelRegistry } from './local-models/registry/types.ts';
import { createLocalModelsApi } from './local-models/routes/api.ts';
import { createTextService } from './local-models/text-service.ts';
import type { TextService } from './local-models/types.ts';
import type { CallContext, Server } from './server-types.ts';
import { webhooksApi } from './webhooks/api.ts';
import { WebhookServer } from './webhooks/webhooks.ts';
import type { LocalModels } from './webhooks/workflow/node-context.ts';

/** The server with the parts that a platform itself looks at beside it. */
export interface Core {
  server: Server;
  registry: ModelRegistry;
  text: TextService;
  webhooks: WebhookServer;
}

export interface CoreOptions {
  /** Sees what the models do, as the service that it returns in its place. */
  watch?: ((text: TextService) => TextService) | undefined;
  /** Nodes of image workflows beside tabd's own; one of a name that there is already takes its place. */
  imageNodes?: readonly AnyNode[];
}

export function createCore(
  host: Host,
  registry: ModelRegistry = createRegistry(host),
  { watch = (text) => text, imageNodes }: CoreOptions = {},
): Core {
  const text = watch(createTextService(host, registry));
  const own = ownServer(() => server);
  const webhooks = new WebhookServer(host, own);
  const server: Server = composeServer(host, [
    createLocalModelsApi({ host, registry, text }),
    imageWorkflowsApi(host, { languageModels: own, ...(imageNodes && { nodes: imageNodes }) }),
    webhooksApi(host, webhooks),
  ]);
  return { server, registry, text, webhooks };
}

/** The other APIs as nodes of workflows ask them. */
function ownServer(server: () => Server): LocalModels {
  const context: Omit<CallContext, 'listener'> = {
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
  };
  return {
    fetch(path, init) {
      const request = new Request(new URL(path, 'http://localhost'), init);
      const { pathname } = new URL(request.url);
      const apis = ['local-models', 'image-workflows'] as const;
      const listener = ownerOf(request.method, pathname, apis, '', 'whole') ?? 'local-models';
      return server().fetch(request, { ...context, listener });
    },
  };
}

/** `registry`: given by a platform that itself looks at the installed models beside the server. */
export function createServer(host: Host, registry?: ModelRegistry): Server {
  return createCore(host, registry).server;
}
